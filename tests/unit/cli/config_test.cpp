#include "cli/config/documents.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <unistd.h>

namespace config_test {

using namespace baton;
using namespace baton::cli;

namespace {

std::filesystem::path const root = BATON_ROOT;

std::optional<std::string> nothing(std::string const&)
{
    return std::nullopt;
}

environment with(std::map<std::string, std::string> variables)
{
    return [variables = std::move(variables)](std::string const& name) -> std::optional<std::string> {
        auto const found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
    };
}

// A temporary folder for one test.
struct scratch {
    std::filesystem::path folder;
    scratch()
    {
        std::string name = (std::filesystem::temp_directory_path() / "baton-config-XXXXXX").string();
        folder = mkdtemp(name.data());
    }
    ~scratch() { std::filesystem::remove_all(folder); }
    std::filesystem::path write(char const* name, std::string const& text) const
    {
        std::ofstream(folder / name) << text;
        std::filesystem::permissions(folder / name,
                                     std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
        return folder / name;
    }
};

nlohmann::json read_json(std::filesystem::path const& file)
{
    std::ifstream in(file);
    REQUIRE(in);
    return nlohmann::json::parse(in, nullptr, true, true);
}

void load_any(std::string const& document, std::filesystem::path const& file)
{
    if (document == "trigger")
        load<trigger_config>(file, nothing);
    else if (document == "web")
        load<web_config>(file, nothing);
    else if (document == "agent")
        load<agent_config>(file, nothing);
    else if (document == "dev")
        load<dev_config>(file, nothing);
    else
        FAIL("no such document: " << document);
}

template <class Config>
std::set<std::string> known_keys()
{
    reader from({}, nlohmann::json::object(), nothing);
    Config config;
    bind(from, config);
    return {from.known().begin(), from.known().end()};
}

// The paths of a schema's leaves. A map from names, such as handlers, is one leaf.
void collect(nlohmann::json const& schema, std::string const& path, std::set<std::string>& into)
{
    if (!schema.contains("properties")) {
        into.insert(path);
        return;
    }
    for (auto const& [key, value] : schema.at("properties").items())
        collect(value, path.empty() ? key : path + "." + key, into);
}

std::set<std::string> schema_keys(std::string const& document)
{
    std::set<std::string> keys;
    collect(read_json(root / "config/schema" / (document + ".schema.json")), "", keys);
    return keys;
}

std::string refusal(std::string const& text, environment outside = nothing)
{
    scratch const here;
    auto const file = here.write("trigger.json", text);
    try {
        load<trigger_config>(file, std::move(outside));
    } catch (config_error const& wrong) {
        std::string what = wrong.what();
        CHECK(what.starts_with(file.string() + ": "));
        return what.substr(file.string().size() + 2);
    }
    return "accepted";
}

} // namespace

TEST_CASE("every example configuration is accepted")
{
    scratch const here;
    here.write("secret", "s3cret\n");
    int examples = 0;
    for (auto const& entry : std::filesystem::directory_iterator(root / "config")) {
        if (entry.path().extension() != ".json")
            continue;
        INFO(entry.path());
        auto document = read_json(entry.path());
        // The files with the secrets exist only on the example's host.
        if (document.contains("token_file"))
            document["token_file"] = "secret";
        if (document.contains("database") && document["database"].contains("password_file"))
            document["database"]["password_file"] = "secret";
        auto const name = entry.path().filename().string();
        CHECK_NOTHROW(load_any(name.substr(0, name.find('.')), here.write("it.json", document.dump())));
        ++examples;
    }
    CHECK(examples == 7);
}

TEST_CASE("web and the clients have two tokens in every example")
{
    auto const token_of = [](char const* name) {
        return read_json(root / "config" / name).at("token_file").get<std::string>();
    };
    CHECK(token_of("web.json") == "/etc/baton/web-token");
    for (auto const* name :
         {"agent.json", "trigger.cluster-1.json", "trigger.cluster-2.json", "trigger.cluster-3.json"})
        CHECK(token_of(name) == "/etc/baton/client-token");
    for (auto const* page : {"README.md", "docs/configuration.md", "docs/protocol.md"}) {
        std::ifstream in(root / page);
        std::string const text(std::istreambuf_iterator<char>(in), {});
        INFO(page);
        CHECK(text.find("/etc/baton/token") == std::string::npos);
        bool const says_why =
            text.find("two-tokens") != std::string::npos || text.find("## Two tokens") != std::string::npos;
        CHECK(says_why);
    }
}

TEST_CASE("every wrong configuration is refused with the file, the path and a reason")
{
    scratch const here;
    for (auto const& each : read_json(root / "tests/unit/cli/wrong_configurations.json")) {
        auto const file = here.write("wrong.json", each.at("config").dump());
        std::string said = "accepted";
        try {
            load_any(each.at("document"), file);
        } catch (config_error const& wrong) {
            said = wrong.what();
        }
        INFO(each.dump());
        INFO(said);
        CHECK(said.starts_with(file.string() + ": " + each.at("says").get<std::string>() + ": "));
    }
}

TEST_CASE("an unknown key is refused with the nearest known one of the same object")
{
    scratch const here;
    auto const said = [&](char const* text) {
        try {
            load_any("trigger", here.write("wrong.json", text));
        } catch (config_error const& wrong) {
            return std::string(wrong.what());
        }
        return std::string("accepted");
    };
    CHECK(said(R"({"database": {"url": "sqlite:/b.db"}, "election": {"tll": "3s"}})")
              .ends_with("election.tll: is not a key that is known here; did you mean election.ttl?"));
    CHECK(said(R"({"database": {"url": "sqlite:/b.db"}, "elections": {}})").ends_with("; did you mean election?"));
    CHECK(said(R"({"database": {"url": "sqlite:/b.db"}, "xyzzy": 1})").ends_with("is not a key that is known here"));
}

TEST_CASE("the schemas have exactly the keys of the loader")
{
    CHECK(known_keys<trigger_config>() == schema_keys("trigger"));
    CHECK(known_keys<web_config>() == schema_keys("web"));
    CHECK(known_keys<agent_config>() == schema_keys("agent"));
    CHECK(known_keys<dev_config>() == schema_keys("dev"));
}

TEST_CASE("the schemas have the defaults of the loader")
{
    auto const schema = read_json(root / "config/schema/trigger.schema.json");
    nlohmann::json document{{"database", {{"url", "sqlite:/b.db"}}}};
    auto const from_defaults = [&](char const* part) {
        for (auto const& [key, value] : schema.at("properties").at(part).at("properties").items())
            if (value.contains("default"))
                document[part][key] = value.at("default");
    };
    for (char const* const part : {"listen", "election", "planner", "dispatcher", "clients", "membership", "results"})
        from_defaults(part);
    document["drain"] = schema.at("properties").at("drain").at("default");
    trigger_config filled;
    reader from({}, document, nothing);
    bind(from, filled);
    trigger_config const plain;
    CHECK(filled.listen.port == plain.listen.port);
    CHECK(filled.node.drain == plain.node.drain);
    CHECK(filled.node.election.ttl == plain.node.election.ttl);
    CHECK(filled.node.election.tick == plain.node.election.tick);
    CHECK(filled.node.election.margin == plain.node.election.margin);
    CHECK(filled.node.election.grace == plain.node.election.grace);
    CHECK(filled.node.election.epochs == plain.node.election.epochs);
    CHECK(filled.node.planner.look_ahead == plain.node.planner.look_ahead);
    CHECK(filled.node.planner.poll == plain.node.planner.poll);
    CHECK(filled.node.planner.edit_lead == plain.node.planner.edit_lead);
    CHECK(filled.node.planner.page == plain.node.planner.page);
    CHECK(filled.node.planner.firings_of_a_task == plain.node.planner.firings_of_a_task);
    CHECK(filled.node.planner.open_limit == plain.node.planner.open_limit);
    CHECK(filled.node.planner.overdue_limit == plain.node.planner.overdue_limit);
    CHECK(filled.node.planner.sweep == plain.node.planner.sweep);
    CHECK(filled.node.dispatcher.group == plain.node.dispatcher.group);
    CHECK(filled.node.dispatcher.queue_limit == plain.node.dispatcher.queue_limit);
    CHECK(filled.node.dispatcher.assign_limit == plain.node.dispatcher.assign_limit);
    CHECK(filled.node.dispatcher.dispatch_limit == plain.node.dispatcher.dispatch_limit);
    CHECK(filled.node.dispatcher.doubt_after == plain.node.dispatcher.doubt_after);
    CHECK(filled.node.dispatcher.retry_pause == plain.node.dispatcher.retry_pause);
    CHECK(filled.node.clients.heartbeat == plain.node.clients.heartbeat);
    CHECK(filled.node.clients.missed == plain.node.clients.missed);
    CHECK(filled.node.membership.heartbeat == plain.node.membership.heartbeat);
    CHECK(filled.node.membership.ttl == plain.node.membership.ttl);
    CHECK(filled.node.results.group == plain.node.results.group);
    CHECK(filled.node.results.queue_limit == plain.node.results.queue_limit);
    CHECK(filled.node.results.pause == plain.node.results.pause);
}

TEST_CASE("comments are allowed and a repeated key is refused")
{
    CHECK(refusal("{ // one\n \"database\": {\"url\": /* two */ \"sqlite:/b.db\"}}") == "accepted");
    CHECK(refusal(R"({"database": {"url": "sqlite:/b.db"}, "drain": "1s", "drain": "2s"})") == "drain is given twice");
    CHECK(refusal(R"({"database": {"url": "sqlite:/b.db", "url": "sqlite:/c.db"}})") == "database.url is given twice");
}

TEST_CASE("text that is not JSON is refused with its position")
{
    CHECK(refusal("{\"database\": ").starts_with("not JSON: parse error at line 1, column 14"));
    CHECK(refusal("[1]") == "must be a JSON object");
    CHECK(refusal("").starts_with("not JSON: parse error at line 1"));
    CHECK_THROWS_AS(load<trigger_config>("/no/such/file.json", nothing), config_error);
}

TEST_CASE("a variable overrides the document, for every type of value")
{
    scratch const here;
    auto const file = here.write("trigger.json", R"({"database": {"url": "sqlite:/b.db"}, "election": {"ttl": "9s"}})");
    auto const config = load<trigger_config>(file, with({{"BATON_ELECTION_TTL", "5s"},
                                                         {"BATON_LISTEN_PORT", "9000"},
                                                         {"BATON_DATABASE_URL", "sqlite:/other.db"},
                                                         {"BATON_TOKEN", "t0ken"}}));
    CHECK(config.node.election.ttl == 5s);
    CHECK(config.listen.port == 9000);
    CHECK(config.database.url == "sqlite:/other.db");
    CHECK(config.node.token == "t0ken");
    CHECK(config.node.address == "http://127.0.0.1:9000");
    CHECK(config.node.name.size() > 0);

    auto const agent = here.write("agent.json", R"({"service": "s", "handlers": {"a": {"argv": ["/bin/true"]}}})");
    auto const read =
        load<agent_config>(agent, with({{"BATON_TRIGGERS", "http://a:1,http://b:2"}, {"BATON_SLOTS", "3"}}));
    CHECK(read.agent.service.triggers == std::vector<std::string>{"http://a:1", "http://b:2"});
    CHECK(read.agent.service.slots == 3);
}

TEST_CASE("an agent's service belongs to the default project unless the configuration names another")
{
    scratch const here;
    auto const file = [&](std::string const& more) {
        return here.write("agent.json", R"({"service": "s", "triggers": ["http://a:1"],)" + more +
                                            R"("handlers": {"a": {"argv": ["/bin/true"]}}})");
    };
    CHECK(load<agent_config>(file(""), nothing).agent.service.project == "default");
    CHECK(load<agent_config>(file(R"("project": "finance",)"), nothing).agent.service.project == "finance");
    CHECK_THROWS_AS(load<agent_config>(file(R"("project": "",)"), nothing), config_error);
    CHECK_THROWS_AS(load<agent_config>(file(R"("project": "a/b",)"), nothing), config_error);
}

TEST_CASE("an agent that fetches needs neither a token nor an address")
{
    scratch const here;
    auto const file = here.write("agent.json", R"({"service": "s", "triggers": ["http://a:1"],
        "listen": {"address": "0.0.0.0"}, "handlers": {"a": {"argv": ["/bin/true"]}}})");
    CHECK_THROWS_AS(load<agent_config>(file, nothing), config_error);
    auto const read = load<agent_config>(file, with({{"BATON_DELIVERY", "fetch"}}));
    CHECK(read.agent.service.delivery == client::delivery_mode::fetch);
}

TEST_CASE("a wrong value in a variable is refused with the variable's name")
{
    std::string const fine = R"({"database": {"url": "sqlite:/b.db"}})";
    CHECK(refusal(fine, with({{"BATON_ELECTION_TTL", "soon"}})).starts_with("BATON_ELECTION_TTL: must be"));
    CHECK(refusal(fine, with({{"BATON_LISTEN_PORT", "70000"}})).starts_with("BATON_LISTEN_PORT: must be"));
    CHECK(refusal(fine, with({{"BATON_LISTEN_PORT", "7e3"}})).starts_with("BATON_LISTEN_PORT: must be"));
    CHECK(refusal(fine, with({{"BATON_ELECTION_EPOCHS", "mixed"}})) == "election.epochs: must be counted or hybrid");
}

TEST_CASE("a value of a wrong type in a document is refused with one that is right")
{
    auto const said = [](char const* more) {
        return refusal(std::string(R"({"database": {"url": "sqlite:/b.db"}, )") + more + "}", nothing);
    };
    CHECK(said(R"("listen": {"port": "x"})") == "listen.port: must be a whole number from 0 to 65535, such as 7800");
    CHECK(said(R"("listen": {"address": 7})") ==
          R"(listen.address: must be a string, in double quotes, such as "127.0.0.1")");
}

TEST_CASE("a trigger on any free port takes its address from the listener")
{
    scratch const here;
    auto const file = here.write("trigger.json", R"({"database": {"url": "sqlite:/b.db"}, "listen": {"port": 0}})");
    CHECK(load<trigger_config>(file, nothing).node.address.empty());
}

TEST_CASE("a secret can come from a file beside the configuration, and a variable overrides it")
{
    scratch const here;
    here.write("token", "from the file\n");
    auto const file = here.write(
        "trigger.json", R"({"database": {"url": "mysql://u@h/n", "password_file": "token"}, "token_file": "token"})");
    auto const config = load<trigger_config>(file, nothing);
    CHECK(config.node.token == "from the file");
    CHECK(config.database.where().password == "from the file");
    CHECK(config.database.where().password_file == (here.folder / "token").string());
    auto const overridden = load<trigger_config>(file, with({{"BATON_DATABASE_PASSWORD", "other"}}));
    CHECK(overridden.database.where().password == "other");
    CHECK(overridden.database.where().password_file.empty());
    CHECK(config.database.where().user == "u");
    CHECK(load<trigger_config>(file, with({{"BATON_TOKEN", "other"}})).node.token == "other");
    here.write("token", "\n");
    CHECK_THROWS_AS(load<trigger_config>(file, nothing), config_error);
}

TEST_CASE("a secret that other users can read is refused, in its own file and in the configuration")
{
    using std::filesystem::perms;
    scratch here;
    auto const secret = here.write("token", "t0ken\n");
    auto const naming = here.write("a.json", R"({"database": {"url": "mysql://u@h/n"}, "token_file": "token"})");
    std::filesystem::permissions(secret, perms::group_read, std::filesystem::perm_options::add);
    CHECK_THROWS_WITH(load<trigger_config>(naming, nothing),
                      Catch::Contains("token_file: ") && Catch::Contains("chmod 600"));

    for (auto const* text :
         {R"({"database": {"url": "mysql://u@h/n"}, "token": "t"})", R"({"database": {"url": "mysql://u:p@h/n"}})",
          R"({"database": {"url": "mysql://u@h/n", "password": "p"}})"}) {
        auto const holding = here.write("b.json", text);
        CHECK_NOTHROW(load<trigger_config>(holding, nothing));
        std::filesystem::permissions(holding, perms::others_read, std::filesystem::perm_options::add);
        CHECK_THROWS_WITH(load<trigger_config>(holding, nothing),
                          Catch::Contains("is a secret, and ") && Catch::Contains("chmod 600"));
    }
    auto const plain = here.write("c.json", R"({"database": {"url": "mysql://u@h/n"}})");
    std::filesystem::permissions(plain, perms::others_read, std::filesystem::perm_options::add);
    CHECK_NOTHROW(load<trigger_config>(plain, with({{"BATON_TOKEN", "t"}})));
}

TEST_CASE("listening beyond loopback is refused without a token, with the remedy, and accepted with one")
{
    std::string const open = R"({"database": {"url": "sqlite:/b.db"}, "listen": {"address": "10.0.0.1"}})";
    CHECK(refusal(open) == "listen.address: 10.0.0.1 can be reached from other hosts, which needs a shared token: set "
                           "token_file (or token), or listen on 127.0.0.1");
    CHECK(refusal(open, with({{"BATON_TOKEN", "t"}})) == "accepted");
    CHECK(refusal(R"({"database": {"url": "sqlite:/b.db"}, "listen": {"address": "localhost"}})") ==
          "listen.address: 'localhost' is not an IP address");
    CHECK(refusal(R"({"database": {"url": "sqlite:/b.db"}, "listen": {"address": "::1"}})") == "accepted");
    CHECK(refusal(R"({"database": {"url": "sqlite:/b.db"}, "listen": {"address": "127.8.8.8"}})") == "accepted");
}

} // namespace config_test
