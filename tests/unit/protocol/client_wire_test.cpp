#include "libs/base/error.hpp"
#include "libs/protocol/client_wire.hpp"
#include "libs/protocol/fetch_wire.hpp"
#include "libs/protocol/node_wire.hpp"
#include "libs/protocol/proof.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <sstream>

namespace client_wire_test {

using namespace baton;
using namespace baton::protocol;
using nlohmann::json;

namespace {

std::filesystem::path const source = BATON_SOURCE_DIR;

std::string text_of(std::filesystem::path const& path)
{
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

json golden(std::string const& name)
{
    return json::parse(text_of(source / "tests/golden/client" / (name + ".json")));
}

template <class Message>
json round_trip(json const& value)
{
    return value.get<Message>();
}

std::map<std::string, json (*)(json const&)> const messages{
    {"register_request", round_trip<register_request>},
    {"heartbeat_request", round_trip<heartbeat_request>},
    {"heartbeat_answer", round_trip<heartbeat_answer>},
    {"leave_request", round_trip<leave_request>},
    {"watch_request", round_trip<watch_request>},
    {"watch_answer", round_trip<watch_answer>},
    {"fetch_request", round_trip<fetch_request>},
    {"fetch_answer", round_trip<fetch_answer>},
    {"results_request", round_trip<results_request>},
    {"results_answer", round_trip<results_answer>},
    {"dispatch_request", round_trip<dispatch_request>},
    {"dispatch_answer", round_trip<dispatch_answer>},
    {"executions_request", round_trip<executions_request>},
    {"query_answer", round_trip<query_answer>},
    {"query_request", round_trip<query_request>},
    {"recall_request", round_trip<recall_request>},
    {"recall_answer", round_trip<recall_answer>},
    {"epoch_message", round_trip<epoch_message>},
    {"probe_request", round_trip<probe_request>},
    {"probe_answer", round_trip<probe_answer>},
    {"register_request_with_schemas", round_trip<register_request>},
};

// The JSON blocks of docs/protocol.md by the name in the line before each: "<!-- golden: NAME -->".
std::map<std::string, json> documented()
{
    std::istringstream lines(text_of(source / "docs/protocol.md"));
    std::map<std::string, json> found;
    std::string const mark = "<!-- golden: ";
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind(mark, 0) != 0)
            continue;
        auto const name = line.substr(mark.size(), line.find(" -->") - mark.size());
        std::getline(lines, line);
        REQUIRE(line == "```json");
        std::string block;
        while (std::getline(lines, line) && line != "```")
            block += line + "\n";
        found[name] = json::parse(block);
    }
    return found;
}

} // namespace

TEST_CASE("every message is read and written as in its golden file", "[protocol]")
{
    for (auto const& [name, trip] : messages) {
        INFO(name);
        CHECK(trip(golden(name)) == golden(name));
    }
}

TEST_CASE("to_text writes the same JSON as the JSON library", "[protocol]")
{
    auto const same = [](auto const& message) { CHECK(json::parse(to_text(message)) == json(message)); };
    same(golden("dispatch_request").get<dispatch_request>());
    same(golden("dispatch_answer").get<dispatch_answer>());
    same(golden("results_request").get<results_request>());
    same(golden("results_answer").get<results_answer>());
    same(golden("heartbeat_request").get<heartbeat_request>());
    same(golden("heartbeat_answer").get<heartbeat_answer>());
    same(golden("fetch_request").get<fetch_request>());
    same(golden("fetch_answer").get<fetch_answer>());
    results_request strange;
    strange.instance =
        "quote \" backslash \\ tab \t newline \n null " + std::string(1, '\0') + " umlaut \xc3\xbc del \x7f";
    strange.results.resize(3);
    strange.results[0].execution = execution_id{std::numeric_limits<std::int64_t>::min()};
    strange.results[1].execution = execution_id{std::numeric_limits<std::int64_t>::max()};
    strange.results[2].value = json_text(json{{"a", {1, nullptr, "\u00fc", 0.5}}});
    same(strange);
    assign_request assigned;
    assigned.open = {3, 4};
    assigned.executions.resize(2);
    assigned.executions[0].work = golden("dispatch_request")["executions"][1].get<dispatch>();
    assigned.executions[0].service = "billing";
    assigned.executions[1].project = "finance";
    same(assigned);
    report_request reported;
    reported.delivered.push_back({execution_id{7}, 2, "client-1", 1});
    reported.undelivered.push_back({execution_id{8}, 1, return_cause::client_gone, "client-1", "client gone", 0});
    reported.undelivered.push_back({execution_id{8}, 2, return_cause::no_room, "", "no room", 17});
    reported.capacity = {3,
                         {{"default", "billing", {{{"close-day", "send"}, 2, 12}}},
                          {"finance", "billing", {{{"close-day"}, 1, 1}}},
                          {"default", "gone", {}}}};
    reported.finished.push_back({execution_id{9}, 1, state::failed, 5});
    same(reported);
    same(results_request{});
    same(dispatch_request{});
    assigned.term = {3, 18};
    reported.term = {3, 18};
    same(assigned);
    same(reported);
    CHECK(json(assigned).at("namespace") == 3);
    results_request broken;
    broken.instance = "not UTF-8: \xff";
    CHECK(to_text(broken) == R"({"instance":"not UTF-8: )"
                             "\xef\xbf\xbd"
                             R"("})");
}

TEST_CASE("a term is the epoch, and the namespace unless it is the first one", "[protocol]")
{
    epoch_message told;
    told.term = {first_namespace, 18};
    CHECK(json(told) == json{{"epoch", 18}});
    told.term = {2, 18};
    CHECK(json(told) == json{{"namespace", 2}, {"epoch", 18}});
    CHECK(json(told).get<epoch_message>().term == term_id{2, 18});
    CHECK(json{{"epoch", 18}}.get<epoch_message>().term == term_id{first_namespace, 18});
    dispatch_request request;
    request.term.epoch = 18;
    CHECK(to_text(request).find("namespace") == std::string::npos);
    request.term.name_space = 2;
    CHECK(to_text(request).find(R"("namespace":2,"epoch":18)") != std::string::npos);
    for (auto const* wrong : {R"({"namespace": "a"})", R"({"namespace": 1.5})", R"({"epoch": "a"})"}) {
        CHECK_THROWS_AS(json::parse(wrong).get<epoch_message>(), invalid_input);
        CHECK_THROWS_AS(from_text(wrong, request), invalid_input);
    }
}

TEST_CASE("the proof in the golden files is that of the registration's secret", "[protocol]")
{
    auto const registered = golden("register_request").get<register_request>();
    auto const asked = golden("probe_request").get<probe_request>();
    auto const answer = golden("probe_answer").get<probe_answer>();
    CHECK(answer.instance == registered.instance);
    CHECK(answer.proof == proof_of(registered.secret, registered.instance, asked.nonce));
    CHECK(proof_of(registered.secret, registered.instance + "~1", asked.nonce) != answer.proof);
    CHECK(proof_of(registered.secret, registered.instance, asked.nonce + "0") != answer.proof);
}

TEST_CASE("from_text reads the same message as the JSON library", "[protocol]")
{
    auto const same = [](auto message, std::string const& text) {
        from_text(text, message);
        CHECK(json(message) == json(json::parse(text).get<decltype(message)>()));
    };
    same(dispatch_request{}, golden("dispatch_request").dump(2));
    same(dispatch_answer{}, golden("dispatch_answer").dump());
    same(results_request{}, golden("results_request").dump());
    same(results_answer{}, golden("results_answer").dump());
    same(heartbeat_request{}, golden("heartbeat_request").dump());
    same(heartbeat_answer{}, golden("heartbeat_answer").dump());
    same(fetch_request{}, golden("fetch_request").dump());
    same(fetch_answer{}, golden("fetch_answer").dump(2));
    same(assign_request{},
         R"({"epoch": 4, "open": [1, 2], "executions": [{"service": "s", "work": {"execution": 9}}]})");
    same(report_request{}, R"({"node": "n", "finished": [{"execution": 9, "status": "failed", "novel": {"a": [1]}}]})");
    same(results_request{}, " {\"results\": [{\"value\": {\"a\": [1, -2, 0.5, 1e3, 18446744073709551615, null, true, "
                            "\"\\u00fc\\ud83d\\ude00\"]}}]} \n");
    same(results_request{},
         R"({"results": [{"value": 123456789012345678901234567890}, {"value": "x"}, {"value": []}]})");
    same(results_request{},
         R"({"results": [{"execution": 1}], "results": [{"attempt": 2}], "instance": "a", "instance": "b"})");
    same(dispatch_request{}, R"({"executions": [{"payload": {"b": 1, "a": 2, "b": 3}}]})");
    same(dispatch_request{}, "{}");
    same(dispatch_request{}, R"({"namespace": 2, "epoch": 18})");
    same(report_request{}, R"({"epoch": 18, "capacity": {"number": 3}, "namespace": 2})");
    same(heartbeat_answer{}, R"({"terms": [{"epoch": 18}, {"namespace": 2, "epoch": 5, "novel": [1]}, {}]})");

    dispatch_request used = golden("dispatch_request").get<dispatch_request>();
    from_text("{}", used);
    CHECK(json(used) == json(dispatch_request{}));
}

TEST_CASE("from_text refuses text that is cut short, has a tail or is not JSON", "[protocol]")
{
    auto const refused = [](std::string const& text) {
        results_request message;
        CHECK_THROWS_AS(from_text(text, message), invalid_input);
    };
    auto const whole = golden("results_request").dump();
    for (std::size_t length = 0; length < whole.size(); ++length)
        refused(whole.substr(0, length));
    for (auto const* text : {"[]", "7", "null", "\"a\"", "{} {}", "{}]", "{\"instance\": \"a\"} x", "{\"instance\": }",
                             "{\"instance\" \"a\"}", "{\"instance\": \"\xff\"}", "{\"results\": [{\"value\": tru}]}",
                             "{\"results\": [{\"value\": 01}]}", "{\"results\": [{\"value\": [1 2]}]}",
                             "{\"results\": [{\"execution\": 5x}]}", "{\"results\": [7]}", "{\"results\": {}}"})
        refused(text);
    for (auto const* unknown : {"tru", "[1 }", "", "01", "{\"a\" 1}", "\"\xff\""})
        refused("{\"instance\": \"a\", \"novel\": " + std::string(unknown) + "}");
    refused("{\"results\": [{\"value\": " + std::string(100, '[') + std::string(100, ']') + "}]}");
}

TEST_CASE("from_text ignores a byte order mark", "[protocol]")
{
    results_request message;
    from_text("\xef\xbb\xbf{\"instance\": \"a\"}", message);
    CHECK(message.instance == "a");
}

TEST_CASE("a refusal of from_text tells where the text is no JSON, and what it must be", "[protocol]")
{
    auto const why = [](std::string const& text) {
        results_request message;
        try {
            from_text(text, message);
        } catch (invalid_input const& wrong) {
            return std::string(wrong.what());
        }
        return std::string();
    };
    CHECK(why("{\"instance\": \"a\", \"novel\": NaN}").find("line 1, column 28") != std::string::npos);
    CHECK(why("{\"results\": [{\"value\": NaN}]}").find("line 1, column 24") != std::string::npos);
    CHECK(why("7") == "a message and its parts must be JSON objects");
    CHECK(why("").starts_with("not JSON: "));
}

TEST_CASE("a payload and a result keep their text from reader to writer", "[protocol]")
{
    auto const value = R"({"b": [1.50, 12345678901234567890123, "\u00fc \/"], "a" :null,"b":{}})";
    assign_request assigned;
    from_text(R"({"executions": [{"work": {"payload" : )" + std::string(value) + " \n, \"attempt\": 2}}, {}]}",
              assigned);
    REQUIRE(assigned.executions.size() == 2);
    CHECK(assigned.executions[0].work.payload.view() == value);
    CHECK(assigned.executions[0].work.attempt == 2);
    CHECK(to_text(assigned).find(value) != std::string::npos);
    CHECK(assigned.executions[1].work.payload.is_null());
    results_request results;
    from_text(R"({"results": [{"value": null }, {"value": -1.0e2 }, {"value": "x" }, {"value": true }]})", results);
    CHECK(results.results[0].value.is_null());
    CHECK(results.results[1].value.view() == "-1.0e2");
    CHECK(results.results[2].value.view() == "\"x\"");
    CHECK(results.results[3].value.view() == "true");
    CHECK_THROWS_AS(json_text::check("{\"a\": }", "payload"), invalid_input);
}

TEST_CASE("a message keeps its text inside a fetch, with a value as deep as a message may hold", "[protocol]")
{
    auto const body = R"({"b": 1.50, "executions":[{"payload":)" + std::string(64, '[') + std::string(64, ']') + "}]}";
    fetch_answer answer;
    from_text(R"({"number": 3, "calls": [{"call": 7, "path": "/x", "body": )" + body + " }]}", answer);
    REQUIRE(answer.calls.size() == 1);
    CHECK(answer.calls[0].body.text == body);
    CHECK(to_text(answer).find(body) != std::string::npos);
}

TEST_CASE("the routing of a task says who chooses its client, and how", "[protocol]")
{
    for (auto const which : {routing::round_robin, routing::random, routing::least_loaded, routing::skip_busy}) {
        CHECK(to_string(choice_for(which)) == to_string(which));
        CHECK_FALSE(is_chosen_by_master(which));
    }
    CHECK(choice_for(routing::broadcast) == client_choice::round_robin);
    for (auto const which :
         {routing::first, routing::last, routing::failover, routing::consistent_hash, routing::instance})
        CHECK(is_chosen_by_master(which));
}

TEST_CASE("every golden file belongs to a tested message", "[protocol]")
{
    std::set<std::string> files;
    for (auto const& entry : std::filesystem::directory_iterator(source / "tests/golden/client"))
        files.insert(entry.path().stem().string());
    std::set<std::string> tested;
    for (auto const& [name, trip] : messages)
        tested.insert(name);
    CHECK(files == tested);
}

TEST_CASE("docs/protocol.md shows every message as in its golden file", "[protocol]")
{
    auto const shown = documented();
    for (auto const& [name, trip] : messages) {
        INFO(name);
        REQUIRE(shown.contains(name));
        CHECK(shown.at(name) == golden(name));
    }
    CHECK(shown.size() == messages.size());
}

TEST_CASE("unknown fields are ignored and missing ones have their defaults", "[protocol]")
{
    auto const one = json::parse(R"({"execution": 5, "handler": "h", "novel": [1]})").get<dispatch>();
    CHECK(one.execution == execution_id{5});
    CHECK(one.attempt == 1);
    CHECK(one.payload.is_null());
    CHECK(one.shard_total == 1);
    auto const answer = json::parse("{}").get<heartbeat_answer>();
    CHECK(answer.heartbeat_ms == 5'000);
}

TEST_CASE("an answer has one text, and an unknown text is refused with the known ones", "[protocol]")
{
    for (auto const which : {ack::accepted, ack::running, ack::finished, ack::busy, ack::draining, ack::no_handler,
                             ack::invalid, ack::moved})
        CHECK(parse<ack>(to_string(which), "answer") == which);
    CHECK(json(ack::no_handler) == "no_handler");
    CHECK_THROWS_WITH(json::parse(R"({"answer": "perhaps"})").get<dispatch_ack>(),
                      "answer must be one of accepted, running, finished, busy, draining, no_handler, invalid, "
                      "moved, not 'perhaps'");
    CHECK_THROWS_AS(json::parse(R"({"status": "done"})").get<result_report>(), invalid_input);
    assign_request assigned;
    CHECK_THROWS_AS(from_text(R"({"executions": [{"routing": "broadcast"}]})", assigned), invalid_input);
    CHECK_THROWS_AS(json::parse(R"({"kind": "tusk"})").get<signal_request>(), invalid_input);
}

TEST_CASE("a value of another type or a number that does not fit is refused by the name of its field", "[protocol]")
{
    auto const wrong = [](char const* text) {
        try {
            json::parse(text).get<dispatch>();
        } catch (invalid_input const& refusal) {
            return refusal.field();
        }
        return std::string("taken");
    };
    auto const wrong_at_once = [](char const* text) {
        dispatch_request message;
        try {
            from_text("{\"executions\": [" + std::string(text) + "]}", message);
        } catch (invalid_input const& refusal) {
            return refusal.field();
        }
        return std::string("taken");
    };
    std::map<char const*, std::string> const cases{
        {R"({"execution": 9223372036854775807, "attempt": 2147483647})", "taken"},
        {R"({"execution": "five"})", "execution"},
        {R"({"execution": 1.5})", "execution"},
        {R"({"execution": true})", "execution"},
        {R"({"execution": 9223372036854775808})", "execution"},
        {R"({"attempt": 1099511627777})", "attempt"},
        {R"({"attempt": -2147483649})", "attempt"},
        {R"({"handler": 1})", "handler"},
        {"[]", ""},
    };
    for (auto const& [text, field] : cases) {
        INFO(text);
        CHECK(wrong(text) == field);
        CHECK(wrong_at_once(text) == field);
    }
    CHECK_THROWS_AS(json::parse(R"({"instance": "a", "draining": 1})").get<heartbeat_request>(), invalid_input);
}

} // namespace client_wire_test
