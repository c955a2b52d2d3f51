#include "tests/unit/web/harness.hpp"

#include <set>

namespace executions_test {

using namespace baton;
using namespace baton::web::test;
using http::verb;

namespace {

auto engines()
{
    return GENERATE(storage::engine::sqlite, storage::engine::mysql);
}

json only_when_asked(std::string name)
{
    auto task = sample(std::move(name));
    task["schedule"] = {{"kind", "api"}};
    return task;
}

void finish(site_on_store& web, std::string const& execution, std::string const& value = R"({"closed":42})")
{
    storage::result_row row;
    row.id = execution_id{std::stoll(execution)};
    row.outcome = protocol::state::succeeded;
    row.client = "billing-1";
    row.started_at = web.time.utc();
    row.finished_at = web.time.utc();
    row.value = value;
    storage::ledger ledger(*web.shared, *web.shared);
    std::vector<storage::result_row> const rows{row};
    wait_for(ledger.record(rows, "node-1"));
}

} // namespace

TEST_CASE("run now inserts an execution that is due at once and can be followed to its end")
{
    auto const web = arrange(engines());
    auto const task = web->create(only_when_asked("by hand"));
    auto const answer = web->post("/api/v1/tasks/" + task + "/run", nullptr);
    REQUIRE(answer.status == 202);
    auto const id = json::parse(answer.body).at("execution").get<std::string>();
    auto const path = "/api/v1/executions/" + id;
    CHECK(answer.headers.find("Location") == path);
    auto const planned = web->got(200, path);
    CHECK(planned.at("state") == "planned");
    CHECK(planned.at("cause") == "manual");
    CHECK(planned.at("task") == task);
    CHECK(planned.at("task_name") == "by hand");
    CHECK_FALSE(planned.at("due_at").is_null());

    finish(*web, id);
    auto const ended = web->got(200, path);
    CHECK(ended.at("state") == "succeeded");
    CHECK(ended.at("due_at").is_null());
    REQUIRE(ended.at("attempts").size() == 1);
    CHECK(ended.at("attempts")[0].at("client") == "billing-1");
    CHECK(ended.at("attempts")[0].at("result") == json{{"closed", 42}});
}

TEST_CASE("a result is shown with all digits of its numbers, as a text if they are more than JSON's readers keep")
{
    auto const web = arrange(engines());
    auto const run = "/api/v1/tasks/" + web->create(only_when_asked("exact")) + "/run";
    std::string const exact = R"({"id":18446744073709551615,"share":0.1})";
    std::string const beyond = R"({"id":18446744073709551616})";
    for (auto const& [value, shown] : {std::pair{exact, json::parse(exact)}, {beyond, json(beyond)}}) {
        auto const id = web->posted(202, run).at("execution").get<std::string>();
        finish(*web, id, value);
        CHECK(web->got(200, "/api/v1/executions/" + id).at("attempts")[0].at("result") == shown);
    }
}

TEST_CASE("the same idempotency key and body run once, and another body under it is refused")
{
    auto const web = arrange(engines());
    auto const run = "/api/v1/tasks/" + web->create(only_when_asked("once")) + "/run";
    auto const other = "/api/v1/tasks/" + web->create(only_when_asked("another")) + "/run";
    headers const key{{"Idempotency-Key", "order-4711"}};
    json const body{{"payload", {{"b", 2}, {"a", 1}}}};
    auto const first = web->posted(202, run, body, key);
    auto const again = web->posted(200, run, json::parse(R"({"payload":{"a":1,"b":2}})"), key);
    CHECK(again.at("execution") == first.at("execution"));
    CHECK(first.at("repeated") == false);
    CHECK(again.at("repeated") == true);
    auto const no = web->problem(422, web->post(run, {{"payload", {{"a", 2}}}}, key));
    CHECK(no.at("field") == "Idempotency-Key");
    web->problem(422, web->post(run, nullptr, key));
    web->problem(422, web->post(other, body, key));
    CHECK(web->data.number("SELECT COUNT(*) FROM execution") == 1);
    web->posted(202, run, body, {{"Idempotency-Key", "order-4712"}});
    web->problem(400, web->post(run, body, {{"Idempotency-Key", std::string(129, 'k')}}));
    web->problem(400, web->post(run, body, {{"Idempotency-Key", "\xff"}}));
}

TEST_CASE("the payload of a run is checked like a task's own")
{
    auto const web = arrange(engines());
    auto const run = "/api/v1/tasks/" + web->create(only_when_asked("payload")) + "/run";
    CHECK(web->problem(422, web->post(run, {{"paylod", 1}})).at("field") == "paylod");
    CHECK(web->problem(422, web->post(run, {{"payload", std::string(70'000, 'x')}})).at("field") == "payload");
    web->problem(422, web->post(run, json::array()));
    CHECK(web->data.number("SELECT COUNT(*) FROM execution") == 0);
    web->posted(202, run, json{{"payload", "text"}});
    CHECK(web->data.text("SELECT payload FROM execution") == "\"text\"");
}

TEST_CASE("an execution shows its own payload, or that of its version of the task")
{
    auto const web = arrange(engines());
    auto task = only_when_asked("shown");
    task["payload"] = {{"day", 1}};
    auto const id = web->create(task);
    auto const payload_of = [&](json const& asked) {
        auto const run = web->posted(202, "/api/v1/tasks/" + id + "/run", asked).at("execution").get<std::string>();
        return std::pair(run, web->got(200, "/api/v1/executions/" + run).at("payload"));
    };
    auto const [by_task, usual] = payload_of(json::object());
    CHECK(usual == json{{"day", 1}});
    CHECK(payload_of({{"payload", {{"day", 2}}}}).second == json{{"day", 2}});
    web->data.exec("UPDATE task SET version = 2");
    CHECK(web->got(200, "/api/v1/executions/" + by_task).at("payload") == json{{"day", 1}});
    web->data.exec("DELETE FROM task_version");
    CHECK(web->got(200, "/api/v1/executions/" + by_task).at("payload").is_null());
}

TEST_CASE("an execution is cancelled while it is open, and not after its end")
{
    auto const web = arrange(engines());
    auto const run = "/api/v1/tasks/" + web->create(only_when_asked("cancelled")) + "/run";
    auto const open = web->posted(202, run).at("execution").get<std::string>();
    auto const ended = web->posted(202, run).at("execution").get<std::string>();
    finish(*web, ended);
    auto const done = web->posted(202, "/api/v1/executions/" + open + "/cancel");
    CHECK(done.at("execution") == open);
    CHECK_FALSE(web->got(200, "/api/v1/executions/" + open).at("cancel_requested_at").is_null());
    auto const no = web->problem(409, web->post("/api/v1/executions/" + ended + "/cancel", nullptr));
    CHECK(no.at("detail").get<std::string>().find("succeeded") != std::string::npos);
}

TEST_CASE("executions are listed latest first, by page and by filter")
{
    auto const web = arrange(engines());
    auto const task = web->create(only_when_asked("listed"));
    auto const other = web->create(only_when_asked("other"));
    std::vector<std::string> ids;
    for (int i = 0; i < 5; ++i)
        ids.insert(ids.begin(), web->posted(202, "/api/v1/tasks/" + task + "/run").at("execution"));
    web->posted(202, "/api/v1/tasks/" + other + "/run");
    finish(*web, ids.back());

    std::vector<std::string> seen;
    std::string after;
    do {
        auto const page = web->got(200, "/api/v1/executions?limit=2&task=" + task + after);
        for (auto const& execution : page.at("items"))
            seen.push_back(execution.at("id"));
        after = page.at("next").is_null() ? "" : "&after=" + page.at("next").get<std::string>();
    } while (!after.empty());
    CHECK(seen == ids);

    auto const count = [&](std::string const& filter) {
        return web->got(200, "/api/v1/executions?" + filter).at("items").size();
    };
    CHECK(count("") == 6);
    CHECK(count("project=default") == 6);
    CHECK(count("project=none") == 0);
    CHECK(count("state=succeeded") == 1);
    CHECK(count("state=succeeded,failed") == 1);
    CHECK(count("state=planned,running") == 5); // read by the index of open executions
    CHECK(count("state=planned,succeeded&task=" + task) == 5);
    CHECK(count("state=cancelled,failed") == 0);
    CHECK(count("cause=manual,forced") == 6);
    CHECK(count("cause=schedule") == 0);
    CHECK(count("service=billing") == 6);
    CHECK(count("service=none") == 0);
    CHECK(count("error=boom") == 0);
    CHECK(count("open=true") == 5);
    CHECK(count("open=false") == 1);
    CHECK(count("from=2020-01-01T00:00:00Z") == 6);
    CHECK(count("from=2020-01-01T00:00:00%2B01:00&until=2020-01-02T00:00:00Z") == 0);
    CHECK(count("parent=1") == 0);
    CHECK(count("late=true") == 0);
    web->data.exec("UPDATE execution SET started_at = scheduled_at + 1000001 WHERE id = " + ids.back());
    CHECK(count("late=true") == 1);
    CHECK(count("late=true&state=failed") == 0);
    CHECK(count("late=false") == 5);
    web->problem(400, web->get("/api/v1/executions?late=yes"));
}

TEST_CASE("a search that finds little within its bound returns a cursor and reaches the end")
{
    auto const web = arrange(engines());
    auto const task = web->create(only_when_asked("searched"));
    auto const id = web->posted(202, "/api/v1/tasks/" + task + "/run").at("execution").get<std::string>();
    finish(*web, id);
    // 32,767 like it, a second later each.
    for (int many = 1; many <= 16'384; many *= 2) {
        auto const n = std::to_string(many);
        web->data.exec(
            "INSERT INTO execution (id, project, task_id, task_version, scheduled_at, run_key, cause, state, attempt, "
            "max_attempts, retry_delay_us, epoch, created_at) SELECT id + " +
            n + ", project, task_id, 1, scheduled_at + " + n +
            " * 1000000, run_key, cause, state, 1, 1, 0, 0, created_at FROM execution");
    }
    web->data.exec("UPDATE execution SET cause = 'forced' WHERE id = " + id);
    auto const search = std::string("/api/v1/executions?cause=forced");
    auto const first = web->got(200, search);
    CHECK(first.at("items").empty());
    REQUIRE_FALSE(first.at("next").is_null());
    auto const second = web->got(200, search + "&after=" + first.at("next").get<std::string>());
    REQUIRE(second.at("items").size() == 1);
    CHECK(second.at("items")[0].at("id") == id);
    CHECK(second.at("next").is_null());
}

TEST_CASE("the history of a deleted task stays, with its name")
{
    auto const web = arrange(engines());
    auto const task = web->create(only_when_asked("history"));
    auto const id = web->posted(202, "/api/v1/tasks/" + task + "/run").at("execution").get<std::string>();
    finish(*web, id);
    REQUIRE(web->call(verb::del, "/api/v1/tasks/" + task).status == 200);
    auto const kept = web->got(200, "/api/v1/executions/" + id);
    CHECK(kept.at("task_name") == "history");
    CHECK(kept.at("state") == "succeeded");
    CHECK(web->got(200, "/api/v1/executions").at("items")[0].at("task_name") == "history");
}

TEST_CASE("the deletion of a task says how many of its executions have not ended")
{
    auto const web = arrange(engines());
    auto const task = web->create(only_when_asked("running"));
    auto const run = "/api/v1/tasks/" + task + "/run";
    web->posted(202, run);
    web->posted(202, run);
    finish(*web, web->posted(202, run).at("execution"));
    auto const answer = web->call(verb::del, "/api/v1/tasks/" + task);
    REQUIRE(answer.status == 200);
    CHECK(json::parse(answer.body).at("open") == 2);
    auto const idle = web->call(verb::del, "/api/v1/tasks/" + web->create(only_when_asked("idle")));
    CHECK(json::parse(idle.body).at("open") == 0);
}

TEST_CASE("executions that are only planned are listed apart from what is due or over, the next one first")
{
    auto const web = arrange(engines());
    auto const task = web->create(only_when_asked("planned"));
    auto const due = web->posted(202, "/api/v1/tasks/" + task + "/run").at("execution").get<std::string>();
    for (int hours : {1, 2, 3}) {
        auto const h = std::to_string(hours);
        web->data.exec(
            "INSERT INTO execution (id, project, task_id, task_version, scheduled_at, run_key, cause, state, "
            "due_at, attempt, max_attempts, retry_delay_us, epoch, created_at) SELECT " +
            h + ", project, task_id, 1, scheduled_at + " + h +
            " * 3600000000, 0, 'schedule', 'planned', "
            "due_at + " +
            h + " * 3600000000, 1, 1, 0, 0, created_at FROM execution WHERE id = " + due);
    }
    auto const ids = [&](std::string const& query) {
        std::vector<std::string> found;
        auto const answer = web->got(200, "/api/v1/executions?" + query);
        for (auto const& each : answer.at("items"))
            found.push_back(each.at("id"));
        return found;
    };
    using list = std::vector<std::string>;
    CHECK(ids("planned=false") == list{due});
    CHECK(ids("planned=true") == list{"1", "2", "3"});
    auto const page = web->got(200, "/api/v1/executions?planned=true&limit=2");
    CHECK(ids("planned=true&after=" + page.at("next").get<std::string>()) == list{"3"});
    CHECK(ids("").size() == 4);
    web->problem(400, web->get("/api/v1/executions?planned=maybe"));
}

TEST_CASE("an execution that waits shows why, in the list and alone")
{
    auto const web = arrange(engines());
    auto const task = web->create(only_when_asked("waiting"));
    auto const id = web->posted(202, "/api/v1/tasks/" + task + "/run").at("execution").get<std::string>();
    auto const reason = [&] {
        auto const alone = web->got(200, "/api/v1/executions/" + id).at("reason");
        CHECK(web->got(200, "/api/v1/executions").at("items").at(0).at("reason") == alone);
        return alone;
    };
    CHECK(reason().is_null()); // it is due since just now, and a client serves it
    wait_for(web->lease->ensure());
    CHECK(reason() == "no master");
    web->lead("host:1:boot:aa", "http://127.0.0.1:7801", "s3cret");
    web->data.exec("UPDATE execution SET due_at = due_at - 5000000");
    CHECK(reason() == "billing has no free slot");
    web->data.exec("UPDATE client SET reach = 'unreachable'");
    CHECK(reason() == "clients of billing cannot be reached");
    web->data.exec("UPDATE client SET handlers = '[\"remind\"]'");
    CHECK(reason() == "no client of billing serves handler close-day");
    web->data.exec("UPDATE client SET state = 'gone'");
    CHECK(reason() == "no client of service billing");
}

TEST_CASE("an execution that failed shows the first line of its error, also while it waits for its next attempt")
{
    auto const web = arrange(engines());
    auto task = only_when_asked("failing");
    task["max_attempts"] = 2;
    task["retry_delay_ms"] = 60'000;
    auto const run = "/api/v1/tasks/" + web->create(task) + "/run";
    auto const id = web->posted(202, run).at("execution").get<std::string>();
    storage::result_row row;
    row.id = execution_id{std::stoll(id)};
    row.outcome = protocol::state::failed;
    row.client = "billing-1";
    row.error = "no such day\nat line 3";
    storage::ledger ledger(*web->shared, *web->shared);
    std::vector<storage::result_row> const rows{row};
    wait_for(ledger.record(rows, "node-1"));
    auto const waiting = web->got(200, "/api/v1/executions/" + id);
    CHECK(waiting.at("reason") == "waits for retry at " + waiting.at("due_at").get<std::string>() + ": no such day");
    web->data.exec("UPDATE execution SET state = 'failed', due_at = NULL");
    CHECK(web->got(200, "/api/v1/executions/" + id).at("reason") == "no such day");
}

TEST_CASE("an execution shows for what it waits, and after its end how long it did")
{
    auto const web = arrange(engines());
    auto const task = web->create(only_when_asked("by hand"));
    auto const answer = web->posted(202, "/api/v1/tasks/" + task + "/run", nullptr);
    auto const id = answer.at("execution").get<std::string>();
    auto const path = "/api/v1/executions/" + id;
    CHECK(web->got(200, path).at("waits").empty());
    web->data.exec("UPDATE execution SET state = 'waiting' WHERE id = " + id);
    web->data.exec("INSERT INTO waiting (execution_id, since, blocker) VALUES (" + id +
                   ", 1774746000000000, 'task_rate')");
    std::string const reason = "the rate limit of its task is reached; it waits since 2026-03-29T01:00:00.000000Z";
    CHECK(web->got(200, path).at("reason") == reason);
    CHECK(web->got(200, "/api/v1/executions?state=waiting").at("items").at(0).at("reason") == reason);
    CHECK(web->got(200, path).at("waits").at(0).at("until_at").is_null());
    web->data.exec("UPDATE execution SET cause = 'forced' WHERE id = " + id); // force does not pass a rate
    CHECK(web->got(200, path).at("reason") == reason);

    web->data.exec("UPDATE execution SET state = 'planned' WHERE id = " + id);
    web->data.exec("UPDATE waiting SET waited_until = 1774746001500000");
    finish(*web, id);
    CHECK(web->got(200, path).at("waits") == json::array({{{"for", "task_rate"},
                                                           {"reason", "the rate limit of its task is reached"},
                                                           {"since_at", "2026-03-29T01:00:00.000000Z"},
                                                           {"until_at", "2026-03-29T01:00:01.500000Z"}}}));
}

TEST_CASE("a run by force has its cause, and is another request than the same run without force")
{
    auto const web = arrange(engines());
    auto const run = "/api/v1/tasks/" + web->create(only_when_asked("forced")) + "/run";
    auto const made = web->posted(202, run, {{"force", true}}, {{"Idempotency-Key", "k"}});
    auto const id = made.at("execution").get<std::string>();
    CHECK(web->got(200, "/api/v1/executions/" + id).at("cause") == "forced");
    CHECK(web->posted(200, run, {{"force", true}}, {{"Idempotency-Key", "k"}}).at("repeated") == true);
    web->posted(422, run, {{"force", false}}, {{"Idempotency-Key", "k"}});
    CHECK(web->posted(422, run, {{"force", "yes"}}).at("field") == "force");
    auto const plain = web->posted(202, run, {{"force", false}}).at("execution").get<std::string>();
    CHECK(web->got(200, "/api/v1/executions/" + plain).at("cause") == "manual");
}

} // namespace executions_test
