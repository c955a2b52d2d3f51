#include "tests/unit/web/harness.hpp"

namespace bad_input_test {

using namespace baton;
using namespace baton::web::test;
using http::verb;

namespace {

auto engines()
{
    return GENERATE(storage::engine::sqlite, storage::engine::mysql);
}

json with(char const* member, json value)
{
    auto task = sample("refused");
    task[member] = std::move(value);
    return task;
}

} // namespace

TEST_CASE("a body that is not JSON or not UTF-8 gets 400 and writes nothing")
{
    auto const web = arrange(engines());
    auto const path = "/api/v1/tasks/" + web->create(sample("stands"));
    auto const deep = std::string(100, '[') + std::string(100, ']');
    for (auto const& body : {std::string(""), std::string("{"), std::string("{\"name\":}"), std::string("\"\xff\""),
                             std::string("{\"name\":\"\xc3\x28\"}"), std::string("\"\\ud800\""), deep}) {
        INFO(body);
        web->problem(400, web->call(verb::post, "/api/v1/tasks", body));
        web->problem(400, web->call(verb::put, path, body));
        web->problem(400, web->call(verb::patch, path, body));
        web->problem(400, web->call(verb::post, "/api/v1/cron/explain", body));
        if (!body.empty())
            web->problem(400, web->call(verb::post, path + "/run", body));
    }
    CHECK(web->data.number("SELECT COUNT(*) FROM task_version") == 1);
    CHECK(web->data.number("SELECT COUNT(*) FROM execution") == 0);
}

TEST_CASE("a document with an invalid value gets 422 with the name of the field")
{
    auto const web = arrange(engines());
    auto const field = [&](json const& task) {
        return web->problem(422, web->post("/api/v1/tasks", task)).value("field", "");
    };
    CHECK(field(json::array()).empty());
    CHECK(field(json::object()) == "name");
    CHECK(field(with("colour", "red")) == "colour");
    CHECK(field(with("id", "7")) == "id");
    CHECK(field(with("name", "")) == "name");
    CHECK(field(with("name", "a/b")) == "name");
    CHECK(field(with("name", std::string("a\0b", 3))) == "name");
    CHECK(field(with("name", std::string(191, 'n'))) == "name");
    CHECK(field(with("max_attempts", 1.5)) == "max_attempts");
    CHECK(field(with("routing", "by moon")) == "routing");
    CHECK(field(with("payload", std::string(70'000, 'p'))) == "payload");
    CHECK(field(with("schedule", {{"kind", "cron"}, {"cron", "61 * * * *"}})) == "schedule.cron");
    CHECK(field(with("schedule", {{"kind", "cron"}, {"cron", "0 0 30 2 *"}})) == "schedule.cron");
    CHECK(field(with("schedule", {{"kind", "cron"}, {"cron", "* * * * *"}, {"zone", "Mars/Base"}})) == "schedule.zone");
    CHECK(field(with("schedule", {{"kind", "cron"}, {"cron", "* * * * *"}, {"every_ms", 5}})) == "schedule.every_ms");
    CHECK(field(with("schedule", {{"kind", "fixed_rate"}, {"every_ms", 0}})) == "schedule.every_ms");
    CHECK(field(with("schedule", {{"kind", "once"}, {"at", "soon"}})) == "schedule.at");
    CHECK(field(with("schedule", {{"kind", "once"}, {"at", "2020-01-01T00:00:00Z"}})) == "schedule.at");
    CHECK(field(with("schedule", {{"kind", "once"}, {"in_ms", 1}})) == "schedule.in_ms");
    CHECK(field(with("schedule", {{"kind", "cron"}, {"cron", "* * * * *"}, {"end_at", "2020-01-01T00:00:00Z"}})) ==
          "schedule.end_at");
    CHECK(field(with("schedule", {{"kind", "fixed_rate"}, {"every_ms", 1'000}, {"end_at", "2020-01-01T00:00:00Z"}})) ==
          "schedule.end_at");
    CHECK(web->data.number("SELECT COUNT(*) FROM task") == 0);
    CHECK(web->data.number("SELECT COUNT(*) FROM task_version") == 0);
}

TEST_CASE("a handler that no live client serves is refused with the served ones, unless allow_unserved is set")
{
    auto const web = arrange(engines());
    auto const handler = web->problem(422, web->post("/api/v1/tasks", with("handler", "close-dya")));
    CHECK(handler.at("field") == "handler");
    CHECK(handler.at("detail").get<std::string>().find("close-day, remind") != std::string::npos);
    auto const service = web->problem(422, web->post("/api/v1/tasks", with("service", "shipping")));
    CHECK(service.at("field") == "service");
    CHECK(service.at("detail").get<std::string>().find("billing") != std::string::npos);

    auto const task = web->posted(201, "/api/v1/tasks?allow_unserved=true", with("handler", "close-dya"));
    auto const path = "/api/v1/tasks/" + task.at("id").get<std::string>();
    CHECK(web->problem(409, web->call(verb::post, path + "/run")).at("field") == "handler");
    web->posted(202, path + "/run?allow_unserved=true");

    CHECK(web->call(verb::patch, path, R"({"description":"not about the handler"})").status == 200);
    CHECK(web->problem(422, web->call(verb::patch, path, R"({"handler":"other"})")).at("field") == "handler");
    CHECK(web->call(verb::patch, path + "?allow_unserved=true", R"({"handler":"other"})").status == 200);
}

TEST_CASE("a task is served by clients of its own project alone, and hears of no other's services")
{
    auto const web = arrange(engines());
    web->join_client("billing", {"audit"}, "finance");
    web->join_client("ledger", {"close-day"}, "finance");
    auto theirs = with("project", "finance");
    auto const handler = web->problem(422, web->post("/api/v1/tasks", theirs));
    CHECK(handler.at("field") == "handler");
    CHECK(handler.at("detail").get<std::string>().find("finance/billing") != std::string::npos);
    CHECK(handler.at("detail").get<std::string>().find("served are: audit (") != std::string::npos);
    theirs["handler"] = "audit";
    auto const path = "/api/v1/tasks/" + web->posted(201, "/api/v1/tasks", theirs).at("id").get<std::string>();
    web->posted(202, path + "/run");
    CHECK(web->problem(422, web->call(verb::patch, path, R"({"project":"default"})")).at("field") == "handler");
    auto nobody = with("project", "empty");
    CHECK(web->problem(422, web->post("/api/v1/tasks", nobody))
              .at("detail")
              .get<std::string>()
              .find("nothing is served in the project 'empty' (") != std::string::npos);
    auto const service = web->problem(422, web->post("/api/v1/tasks", with("service", "ledger")));
    CHECK(service.at("detail").get<std::string>().find("served are: billing (") != std::string::npos);
}

TEST_CASE("a payload whose numbers would be rounded or that is nested too deeply is refused, and others are kept")
{
    auto const web = arrange(engines());
    auto const body = [](std::string const& payload) {
        auto task = sample("exact");
        task.erase("payload");
        auto text = task.dump();
        text.pop_back();
        return text + R"(,"payload":)" + payload + "}";
    };
    auto const refused = [&](std::string const& payload) {
        return web->problem(400, web->call(verb::post, "/api/v1/tasks", body(payload))).at("field");
    };
    auto const nested = [](std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); };
    CHECK(refused(R"({"ids":[18446744073709551616]})") == "payload.ids");
    CHECK(refused(nested(65)) == "payload");
    auto const made = web->call(verb::post, "/api/v1/tasks", body(nested(64)));
    REQUIRE(made.status == 201);
    auto const path = "/api/v1/tasks/" + json::parse(made.body).at("id").get<std::string>();
    auto const change = web->call(verb::patch, path, R"({"payload":{"id":18446744073709551615}})");
    CHECK(json::parse(change.body).at("payload").at("id") == 18'446'744'073'709'551'615u);
    CHECK(web->problem(400, web->call(verb::patch, path, R"({"payload":{"id":-9223372036854775809}})")).at("field") ==
          "payload.id");
}

TEST_CASE("an edit of the schedule is checked like a registration, other edits are not")
{
    auto const web = arrange(engines());
    auto const path = "/api/v1/tasks/" + web->create(sample("edited"));
    auto const no = web->problem(422, web->call(verb::patch, path, R"({"schedule":{"cron":"0 0 31 4 *"}})"));
    CHECK(no.at("field") == "schedule.cron");
    auto const past = R"({"schedule":{"kind":"once","at":"2020-01-01T00:00:00Z"}})";
    CHECK(web->problem(422, web->call(verb::patch, path, past)).at("field") == "schedule.at");
    auto const task = web->got(200, path);
    CHECK(task.at("version") == 1);
    CHECK(task.at("schedule").at("cron") == "30 2 * * *");
}

TEST_CASE("a query that cannot be read gets 400 with the name of the parameter")
{
    auto const web = arrange(engines());
    auto const field = [&](std::string const& target) {
        return web->problem(400, web->get("/api/v1/" + target)).value("field", "");
    };
    CHECK(field("tasks?colour=red") == "colour");
    CHECK(field("tasks?limit=0") == "limit");
    CHECK(field("tasks?limit=501") == "limit");
    CHECK(field("tasks?limit=ten") == "limit");
    CHECK(field("tasks?limit=5&limit=6") == "limit");
    CHECK(field("tasks?enabled=maybe") == "enabled");
    CHECK(field("tasks?kind=weekly") == "kind");
    CHECK(field("tasks?after=x") == "after");
    CHECK(field("tasks?name=%ff") == "name");
    CHECK(field("tasks?name=%00") == "name");
    for (auto const* const wrong : {"lost", "failed,lost", "failed,", ",failed", "", "failed%20,running"})
        CHECK(field(std::string("executions?state=") + wrong) == "state");
    auto const lost = web->problem(400, web->get("/api/v1/executions?state=failed,lost"));
    CHECK_THAT(lost.value("detail", ""), Catch::Contains("planned, waiting, running") && Catch::Contains("not 'lost'"));
    CHECK(field("executions?cause=chance") == "cause");
    CHECK(field("executions?error=") == "error");
    CHECK(field("executions?error=" + std::string(201, 'x')) == "error");
    CHECK(field("dead-letters?error=") == "error");
    CHECK(field("tasks?text=") == "text");
    CHECK(field("tasks?state=paused") == "state");
    CHECK(field("executions?from=yesterday") == "from");
    CHECK(field("executions?task=-1") == "task");
    CHECK(field("executions?after=1") == "after");
    CHECK(field("executions?after=executions-1-x") == "after");
    CHECK(field("executions?after=executions-1-07") == "after");
    CHECK(field("nodes?all=true") == "all");
    CHECK(field("clients?all=true") == "all");
    CHECK(field("tasks/1?fields=name") == "fields");
    CHECK(field("executions/1?fields=name") == "fields");
    web->problem(400, web->get("/healthz?x=1"));
    web->problem(400, web->get("/readyz?x=1"));
    web->problem(400, web->call(verb::post, "/api/v1/tasks?dry_run=true", sample("t").dump()));
    web->problem(400, web->call(verb::post, "/api/v1/tasks/1/run?wait=true"));
    web->problem(400, web->call(verb::post, "/api/v1/tasks/1/enable?x=1"));
    web->problem(400, web->call(verb::post, "/api/v1/tasks/1/disable?x=1"));
    web->problem(400, web->call(verb::post, "/api/v1/executions/1/cancel?x=1"));
    web->problem(400, web->call(verb::del, "/api/v1/tasks/1?x=1"));
    CHECK(web->data.number("SELECT COUNT(*) FROM task") == 0);
}

TEST_CASE("the cursor of another list is refused with the names of both lists")
{
    auto const web = arrange(storage::engine::sqlite);
    auto const detail = [&](std::string const& target) {
        auto const no = web->problem(400, web->get("/api/v1/" + target));
        CHECK(no.at("field") == "after");
        return no.at("detail").get<std::string>();
    };
    CHECK(detail("tasks?after=executions-5-7") ==
          "after is a place in the list of executions, and this is the list of tasks");
    CHECK(detail("terms?after=tasks-5") == "after is a place in the list of tasks, and this is the list of terms");
    CHECK(detail("executions?after=terms-5") ==
          "after is a place in the list of terms, and this is the list of executions");
    CHECK(detail("tasks?after=5") == "after must be the 'next' of an earlier answer of this list, not '5'");
}

TEST_CASE("a key that is given twice gets 400 with its path and changes nothing")
{
    auto const web = arrange(storage::engine::sqlite);
    auto const id = web->create(sample("once"));
    auto const path = "/api/v1/tasks/" + id;
    auto const field = [&](http::response const& answer) { return web->problem(400, answer).value("field", ""); };
    auto document = sample("twice").dump();
    document.insert(1, "\"name\":\"other\",");
    CHECK(field(web->call(verb::post, "/api/v1/tasks", document)) == "name");
    CHECK(field(web->call(verb::put, path, document)) == "name");
    CHECK(field(web->call(verb::patch, path, R"({"max_attempts":2,"max_attempts":3})")) == "max_attempts");
    CHECK(field(web->call(verb::patch, path, R"({"payload":{"a":1,"a":2}})")) == "payload.a");
    CHECK(field(web->call(verb::post, path + "/run", R"({"payload":1,"payload":2})")) == "payload");
    CHECK(field(web->call(verb::post, "/api/v1/cron/explain", R"({"cron":"* * * * *","cron":"@daily"})")) == "cron");
    CHECK(web->data.number("SELECT COUNT(*) FROM task_version") == 1);
    CHECK(web->data.number("SELECT COUNT(*) FROM execution") == 0);
}

TEST_CASE("nulls, empty strings and numbers are taken as the description of the API says")
{
    auto const web = arrange(storage::engine::sqlite);
    auto const field = [&](json const& task) {
        return web->problem(422, web->post("/api/v1/tasks", task)).value("field", "");
    };
    CHECK(field(with("description", nullptr)) == "description");
    CHECK(field(with("max_attempts", nullptr)) == "max_attempts");
    CHECK(field(with("schedule", {{"kind", "cron"}, {"cron", "* * * * *"}, {"start_at", ""}})) == "schedule.start_at");
    CHECK(field(with("schedule", {{"kind", "cron"}, {"cron", "* * * * *"}, {"end_at", nullptr}})) == "schedule.end_at");
    CHECK(field(with("name", "a\xc2\x85")) == "name");

    auto task = with("max_attempts", 2.0);
    task["payload"] = nullptr;
    task["schedule"]["cron"] = "30 2 * * *\n";
    auto const made = web->posted(201, "/api/v1/tasks", task);
    CHECK(made.at("max_attempts") == 2);
    CHECK(made.at("payload").is_null());
    CHECK(made.at("schedule").at("cron") == "30 2 * * *");
    auto const path = "/api/v1/tasks/" + made.at("id").get<std::string>();
    CHECK(web->got(200, path).at("payload").is_null());
    web->posted(202, path + "/run", {{"payload", nullptr}});
    CHECK(web->data.number("SELECT COUNT(*) FROM execution WHERE payload = 'null'") == 1);
    web->posted(200, "/api/v1/cron/explain", {{"cron", "0 2 * * *\n"}, {"count", 1.0}});
    CHECK(
        web->problem(422, web->post("/api/v1/cron/explain", {{"cron", "0 2 * * *"}, {"zone", nullptr}})).at("field") ==
        "zone");
    CHECK(json::parse(web->call(verb::patch, path, R"({"payload":null})").body).at("payload") == json::object());
}

TEST_CASE("a refusal quotes what it refuses as it came, escaped where it cannot be shown")
{
    auto const web = arrange(storage::engine::sqlite);
    auto const detail = [&](std::string const& target) {
        auto const answer = web->get("/api/v1/" + target);
        return json::parse(answer.body).at("detail").get<std::string>();
    };
    CHECK(detail("tasks?kind=%00") == "kind: '%00' contains the character U+0000");
    CHECK(detail("tasks?kind=w%C3%B6chentlich").ends_with("not 'wöchentlich'"));
    CHECK(detail("tasks?kind=a%0Ab").ends_with("not 'a\\nb'"));
    CHECK(detail("tasks?limit=f%C3%BCnf").find("not 'fünf'") != std::string::npos);
    CHECK(detail("tasks/f%C3%BCnf") == "'fünf' is not an id: ids are positive decimal numbers such as 4711");
    CHECK(
        detail("tasks?gr%C3%B6%C3%9Fe=1") ==
        "unknown query parameter 'größe'; leave it out, the parameters here are: after, enabled, handler, kind, label, "
        "limit, name, owner, project, service, state, text");
    CHECK(detail("zones?page=2") == "unknown query parameter 'page'; leave it out, this request has none");
    auto const cron =
        web->problem(422, web->post("/api/v1/cron/explain", {{"cron", std::string("f\xc3\xbcnf\0 * * * *", 14)}}));
    CHECK(cron.at("detail") == "minute (column 1): 'fünf\\u0000' is not a number; write for example '*/15'");
    auto const routing = web->problem(422, web->post("/api/v1/tasks", with("routing", std::string("a\0b", 3))));
    CHECK(routing.at("detail").get<std::string>().ends_with("not 'a\\u0000b'"));
}

TEST_CASE("an id that is not a number or unknown gets 404")
{
    auto const web = arrange(engines());
    for (auto const* id : {"x", "0", "-1", "1.5", "99999999999999999999", "1%20", "9223372036854775807"}) {
        INFO(id);
        web->problem(404, web->get(std::string("/api/v1/tasks/") + id));
        web->problem(404, web->get(std::string("/api/v1/executions/") + id));
        web->problem(404, web->call(verb::post, std::string("/api/v1/executions/") + id + "/cancel"));
    }
}

TEST_CASE("an unknown path gets 404 and an unknown method 405")
{
    auto const web = arrange(storage::engine::sqlite);
    web->problem(404, web->get("/api/v2/tasks"));
    auto const no = web->call(verb::put, "/api/v1/nodes");
    web->problem(405, no);
    CHECK(no.headers.find("Allow") == "GET, HEAD");
}

} // namespace bad_input_test
