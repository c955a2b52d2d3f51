#include "tests/unit/web/harness.hpp"

namespace dead_letters_test {

using namespace baton;
using namespace baton::web::test;
using http::verb;

namespace {

auto engines()
{
    return GENERATE(storage::engine::sqlite, storage::engine::mysql);
}

// Runs the task and has its only attempt fail. The id of the execution.
std::string failed_run(site_on_store& web, std::string const& task)
{
    auto const id = web.posted(202, "/api/v1/tasks/" + task + "/run", nullptr).at("execution").get<std::string>();
    storage::result_row row;
    row.id = execution_id{std::stoll(id)};
    row.outcome = protocol::state::failed;
    row.client = "billing-1";
    row.finished_at = web.time.utc();
    row.error = "no such account\nline 2";
    storage::ledger ledger(*web.shared, *web.shared);
    std::vector<storage::result_row> const rows{row};
    wait_for(ledger.record(rows, "node-1"));
    return id;
}

json only_when_asked(std::string name)
{
    auto task = sample(std::move(name));
    task["schedule"] = {{"kind", "api"}};
    return task;
}

} // namespace

TEST_CASE("a failed execution is listed as a dead letter and runs again on request")
{
    auto const web = arrange(engines());
    web->lead("alpha", "http://10.0.0.1:7800", "secret");
    auto const task = web->create(only_when_asked("by hand"));
    auto const id = failed_run(*web, task);
    auto const listed = web->got(200, "/api/v1/dead-letters?task=" + task);
    REQUIRE(listed.at("items").size() == 1);
    auto const& letter = listed.at("items")[0];
    CHECK(letter.at("execution") == id);
    CHECK(letter.at("task_name") == "by hand");
    CHECK(letter.at("state") == "failed");
    CHECK(letter.at("error") == "no such account\nline 2");
    CHECK(letter.at("resolution") == "open");
    auto const found = [&](std::string const& path) { return web->got(200, "/api/v1/" + path).at("items").size(); };
    CHECK(found("dead-letters?service=billing&error=NO%20SUCH") == 1);
    CHECK(found("dead-letters?service=other") == 0);
    CHECK(found("dead-letters?error=another") == 0);
    CHECK(found("executions?error=no%20such") == 1);
    CHECK(found("executions?error=another") == 0);
    CHECK(found("executions?state=failed&cause=manual&service=billing") == 1);

    auto const sent = web->http.seen.size();
    auto const done =
        web->posted(202, "/api/v1/dead-letters/retry", {{"executions", {id, id}}, {"payload", {{"a", 1}}}});
    REQUIRE(done.at("items").size() == 1);
    CHECK(done.at("items")[0].at("outcome") == "retried");
    CHECK(done.at("more") == false);
    CHECK(done.at("master_notified") == true);
    CHECK(web->http.seen.size() == sent + 1);
    auto const rerun = done.at("items")[0].at("rerun").get<std::string>();
    auto const execution = web->got(200, "/api/v1/executions/" + rerun);
    CHECK(execution.at("cause") == "rerun");
    CHECK(execution.at("rerun_of") == id);

    auto const again = web->posted(202, "/api/v1/dead-letters/retry", {{"executions", {id}}});
    CHECK(again.at("items")[0] == json{{"execution", id}, {"outcome", "already_resolved"}, {"rerun", rerun}});
    CHECK(again.at("master_notified") == false);
    CHECK(web->got(200, "/api/v1/dead-letters").at("items").empty());
    CHECK(web->got(200, "/api/v1/dead-letters?resolution=retried").at("items")[0].at("rerun") == rerun);
}

TEST_CASE("dead letters are resolved in bulk by task, by project, or all of them")
{
    auto const web = arrange(engines());
    auto const one = web->create(only_when_asked("one"));
    auto const two = web->create(only_when_asked("two"));
    for (auto const& task : {one, one, two})
        failed_run(*web, task);
    auto const page = web->got(200, "/api/v1/dead-letters?limit=2");
    CHECK(page.at("items").size() == 2);
    CHECK(web->got(200, "/api/v1/dead-letters?after=" + page.at("next").get<std::string>()).at("items").size() == 1);

    CHECK(web->posted(202, "/api/v1/dead-letters/retry", {{"task", one}}).at("items").size() == 2);
    CHECK(web->posted(200, "/api/v1/dead-letters/dismiss", {{"all", true}, {"before", "2026-01-01T00:00:00Z"}})
              .at("items")
              .empty());
    CHECK(web->posted(200, "/api/v1/dead-letters/dismiss", {{"project", "another"}}).at("items").empty());
    auto const last = web->posted(200, "/api/v1/dead-letters/dismiss", {{"all", true}});
    REQUIRE(last.at("items").size() == 1);
    CHECK(last.at("items")[0].at("outcome") == "dismissed");
    CHECK(web->got(200, "/api/v1/dead-letters?resolution=dismissed&project=default").at("items").size() == 1);
}

TEST_CASE("dead letters are counted and resolved in bulk by service and by the text of the error, with what remains")
{
    auto const web = arrange(engines());
    auto const one = web->create(only_when_asked("one"));
    auto other = only_when_asked("other");
    other["service"] = "mail";
    other["handler"] = "send";
    web->join_client("mail", {"send"});
    auto const two = web->create(other);
    for (int i = 0; i < 3; ++i)
        failed_run(*web, one);
    auto const late = failed_run(*web, two);
    web->data.exec("UPDATE failure SET error = 'disk full' WHERE execution_id = " + late);

    auto const count = [&](std::string const& filter) {
        return web->got(200, "/api/v1/dead-letters/count?" + filter).at("count").get<int>();
    };
    CHECK(count("") == 4);
    CHECK(count("service=billing") == 3);
    CHECK(count("service=billing&error=DISK") == 0);
    CHECK(count("error=disk") == 1);
    CHECK(count("before=2026-01-01T00:00:00Z") == 0);
    web->problem(400, web->get("/api/v1/dead-letters/count?before=noon"));

    auto const done = web->posted(202, "/api/v1/dead-letters/retry", {{"service", "billing"}, {"error", "account"}});
    CHECK(done.at("done") == 3);
    CHECK(done.at("refused") == 0);
    CHECK(done.at("next").is_null());
    CHECK(done.at("remaining") == json{{"count", 0}, {"more", false}});
    CHECK(count("") == 1);
    auto const last = web->posted(200, "/api/v1/dead-letters/dismiss", {{"error", "disk"}, {"project", "default"}});
    CHECK(last.at("items").at(0).at("execution") == late);
    CHECK(count("resolution=dismissed") == 1);
}

TEST_CASE("a bulk goes on behind its last dead letter, so that those it refuses do not hold it up")
{
    auto const web = arrange(engines());
    auto const task = web->create(only_when_asked("many"));
    auto const first = failed_run(*web, task);
    auto const now = to_micros(web->time.utc());
    for (int i = 1; i <= 600; ++i) {
        auto const id = std::to_string(i);
        web->data.exec(
            "INSERT INTO dead_letter (execution_id, namespace, project, task_id, died_at, resolution) VALUES (" + id +
            ", 1, 'default', " + task + ", " + std::to_string(now - 1'000'000 - i) + ", 'open')");
        web->data.exec("INSERT INTO unresponsive (execution_id, namespace, attempt, client, since) VALUES (" + id +
                       ", 1, 1, 'billing-1', 1)");
    }
    json request{{"task", task}};
    auto const begun = web->posted(202, "/api/v1/dead-letters/retry", request);
    CHECK(begun.at("done") == 1);
    CHECK(begun.at("refused") == 499);
    CHECK(begun.at("more") == true);
    CHECK(begun.at("remaining") == json{{"count", 101}, {"more", false}});
    request["after"] = begun.at("next");
    auto const ended = web->posted(202, "/api/v1/dead-letters/retry", request);
    CHECK(ended.at("refused") == 101);
    CHECK(ended.at("next").is_null());
    json const nothing{{"error", std::string("a\0b", 3)}};
    CHECK(web->problem(422, web->post("/api/v1/dead-letters/retry", nothing)).at("field") == "error");
    request["after"] = "tasks-1";
    CHECK(web->problem(422, web->post("/api/v1/dead-letters/retry", request)).at("field") == "after");
    CHECK(web->got(200, "/api/v1/dead-letters?resolution=retried").at("items").at(0).at("execution") == first);
}

TEST_CASE("the failed shards of a broadcast are listed and run again, and no others")
{
    auto const web = arrange(engines());
    auto const task = web->create(only_when_asked("shards"));
    auto const shard = failed_run(*web, task);
    failed_run(*web, task);
    web->data.exec("UPDATE execution SET parent_id = 4711, shard_total = 2 WHERE id = " + shard);
    CHECK(web->got(200, "/api/v1/dead-letters?broadcast=4711").at("items").size() == 1);
    auto const done = web->posted(202, "/api/v1/dead-letters/retry", {{"broadcast", "4711"}});
    REQUIRE(done.at("items").size() == 1);
    CHECK(done.at("items")[0].at("execution") == shard);
    CHECK(web->posted(200, "/api/v1/dead-letters/dismiss", {{"broadcast", "4711"}}).at("items").empty());
    CHECK(web->got(200, "/api/v1/dead-letters?task=" + task).at("items").size() == 1);
}

TEST_CASE("an unresponsive handler is shown, keeps its dead letter from running again, and is released once")
{
    auto const web = arrange(engines());
    auto const task = web->create(only_when_asked("deaf"));
    auto const id = failed_run(*web, task);
    auto const path = "/api/v1/executions/" + id;
    auto const next = failed_run(*web, task);
    web->data.exec("UPDATE execution SET state = 'waiting', due_at = scheduled_at, ended_at = NULL WHERE id = " + next);
    CHECK(web->got(200, path).at("unresponsive").is_null());
    CHECK(web->got(200, "/api/v1/executions/" + next).at("kept_back_by").empty());
    web->problem(409, web->post(path + "/release", nullptr));
    web->data.exec("INSERT INTO unresponsive (execution_id, namespace, attempt, client, since) VALUES (" + id +
                   ", 1, 1, 'billing-1', 1774746000000000)");
    CHECK(web->got(200, path).at("unresponsive") ==
          json{{"attempt", 1}, {"client", "billing-1"}, {"since", "2026-03-29T01:00:00.000000Z"}});
    CHECK(web->got(200, "/api/v1/executions/" + next).at("kept_back_by") == json{id});
    auto const retried = web->posted(202, "/api/v1/dead-letters/retry", {{"executions", {id}}});
    CHECK(retried.at("items")[0].at("outcome") == "still_runs");
    CHECK(web->posted(200, path + "/release", nullptr).at("released") == true);
    web->problem(409, web->post(path + "/release", nullptr));
    web->problem(404, web->post("/api/v1/executions/4711/release", nullptr));
    CHECK(web->got(200, path).at("unresponsive").is_null());
}

TEST_CASE("a request about dead letters that names none, or too much, is refused by its field")
{
    auto const web = arrange(engines());
    auto const refusal = [&](json const& body) {
        auto const problem = web->problem(422, web->post("/api/v1/dead-letters/retry", body));
        return problem.at("field").get<std::string>() + ": " + problem.at("detail").get<std::string>();
    };
    CHECK(refusal(json::object()) ==
          "executions: name the dead letters: executions, task, project, service, error, broadcast, or all");
    CHECK(refusal({{"all", false}}) == "all: all must be true, or left out");
    CHECK_THAT(refusal({{"all", true}, {"before", "noon"}}), Catch::Contains("before must be a time such as"));
    CHECK_THAT(refusal({{"executions", {"1"}}, {"task", "2"}}),
               Catch::Contains("task is not for a request that names its executions"));
    CHECK_THAT(refusal({{"executions", {"x"}}}), Catch::StartsWith("executions: "));
    CHECK_THAT(refusal({{"executions", "1"}}), Catch::Contains("must be a list of at most 500 texts"));
    web->problem(422, web->post("/api/v1/dead-letters/dismiss", {{"all", true}, {"payload", 1}}));
    web->problem(400, web->get("/api/v1/dead-letters?resolution=lost"));
    CHECK(web->posted(202, "/api/v1/dead-letters/retry", {{"executions", {"4711"}}}).at("items")[0].at("outcome") ==
          "not_dead");
}

} // namespace dead_letters_test
