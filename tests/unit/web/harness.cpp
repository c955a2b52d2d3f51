#include "tests/unit/web/harness.hpp"

#include "libs/http/body_source.hpp"

#include <cstdlib>
#include <fstream>

namespace baton::web::test {

namespace {

void record(http::request const& asked, http::response const& answer)
{
    static std::ofstream file([] {
        char const* const name = std::getenv("BATON_WEB_EXCHANGES");
        return name == nullptr ? "/dev/null" : name;
    }());
    auto const path = asked.path();
    if (!path.starts_with("/api/") && path != "/healthz" && path != "/readyz")
        return;
    json sent = json::object();
    for (auto const& [name, value] : asked.headers.all())
        sent[name] = value;
    json received = json::object();
    for (auto const& [name, value] : answer.headers.all())
        received[name] = value;
    json const exchange{{"method", http::to_string(asked.method)},
                        {"target", asked.target},
                        {"request_headers", sent},
                        {"request_body", asked.body},
                        {"status", answer.status},
                        {"response_headers", received},
                        {"response_body", answer.body}};
    file << exchange.dump(-1, ' ', true, json::error_handler_t::replace) << std::endl;
}

storage::database_settings one_session()
{
    storage::database_settings how;
    how.sessions = 1;
    return how;
}

} // namespace

awaitable<http::response> recording_client::send(http::url to, http::request message, duration limit)
{
    seen.push_back({to.text(), message.target, message.headers.find("Authorization").value_or(""),
                    json::parse(message.body), limit});
    if (status == 0)
        throw http::unreachable("no answer", false);
    http::response answer;
    answer.status = status;
    if (!body.is_null())
        answer.body = body.dump();
    co_return answer;
}

site_on_store::site_on_store(storage::engine engine, settings how) : data(engine)
{
    data.migrated();
    shared = data.open();
    if (engine == storage::engine::sqlite) {
        lease_file = std::make_unique<baton::test::store>(engine);
        lease_file->migrated(storage::lease_tables());
        leasing = lease_file->open(one_session());
        lease = lease::make_boot_lease(*leasing, "master", time, boot_id());
    } else {
        leasing = data.open(one_session());
        lease = lease::make_clocked_lease(*leasing, "master");
    }
    site = std::make_unique<web::site>(how, dependencies{time, random, *shared, *lease, http});
    routes = site->routes();
}

http::response site_on_store::call(http::verb method, std::string target, std::string body, headers const& with)
{
    http::request asked;
    asked.method = method;
    asked.target = std::move(target);
    asked.body = std::move(body);
    for (auto const& [name, value] : with)
        asked.headers.set(name, value);
    auto answer = wait_for(routes(asked));
    if (answer.stream && method == http::verb::get)
        answer.body = wait_for(answer.stream->next());
    record(asked, answer);
    return answer;
}

http::response site_on_store::get(std::string target, headers const& with)
{
    return call(http::verb::get, std::move(target), {}, with);
}

http::response site_on_store::post(std::string target, json const& body, headers const& with)
{
    return call(http::verb::post, std::move(target), body.is_null() ? "" : body.dump(), with);
}

json site_on_store::got(int status, std::string target)
{
    INFO("GET " << target);
    auto const answer = get(std::move(target));
    INFO(answer.body);
    REQUIRE(answer.status == status);
    return json::parse(answer.body);
}

json site_on_store::posted(int status, std::string target, json const& body, headers const& with)
{
    INFO("POST " << target);
    auto const answer = post(std::move(target), body, with);
    INFO(answer.body);
    REQUIRE(answer.status == status);
    return json::parse(answer.body);
}

json site_on_store::problem(int status, http::response const& answer) const
{
    INFO(answer.body);
    REQUIRE(answer.status == status);
    REQUIRE(answer.headers.find("Content-Type") == "application/problem+json");
    return json::parse(answer.body);
}

void site_on_store::join_client(std::string service, std::vector<std::string> handlers, std::string project)
{
    storage::client_record record;
    record.instance = project + ":" + service + "-1";
    record.project = std::move(project);
    record.service = std::move(service);
    record.address = "http://127.0.0.1:4711";
    record.secret = "never shown";
    record.handlers = std::move(handlers);
    record.version = "0.1.0";
    record.node = "node-1";
    storage::clients all(*shared);
    wait_for(all.put(record));
}

void site_on_store::lead(std::string incarnation, std::string address, std::string secret)
{
    storage::node_record node;
    node.incarnation = incarnation;
    node.name = "alpha";
    node.address = address;
    node.secret = std::move(secret);
    node.role = "master";
    node.version = "0.1.0";
    node.load_permille = 250;
    node.health = std::string(R"({"loops":)") + loops_of_alpha + "}";
    node.ttl = 60s;
    node.started_at = time.utc();
    storage::nodes all(*shared);
    wait_for(all.beat(node));

    wait_for(lease->ensure());
    auto const row = wait_for(lease->poll());
    lease::seizure const bid{incarnation, address, 60s, row.epoch, row.renew_seq, row.epoch + 1};
    REQUIRE(wait_for(lease->seize(bid)));
}

std::string site_on_store::create(json const& task)
{
    return posted(201, "/api/v1/tasks", task).at("id").get<std::string>();
}

json sample(std::string name)
{
    return {{"name", std::move(name)},
            {"service", "billing"},
            {"handler", "close-day"},
            {"payload", {{"day", "2026-11-21"}}},
            {"schedule", {{"kind", "cron"}, {"cron", "30 2 * * *"}, {"zone", "Europe/Berlin"}}}};
}

std::unique_ptr<site_on_store> arrange(storage::engine engine, settings how)
{
    auto made = std::make_unique<site_on_store>(engine, std::move(how));
    made->join_client("billing", {"close-day", "remind"});
    return made;
}

} // namespace baton::web::test
