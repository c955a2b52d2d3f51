#include "libs/storage/execution_counts.hpp"
#include "tests/unit/web/harness.hpp"
#include "web/kept_answer.hpp"
#include "web/overview_view.hpp"

namespace web_overview_test {

using namespace baton;
using namespace baton::web;
using namespace baton::web::test;
using storage::engine;

namespace {

void count(site_on_store& web, utc_time minute, protocol::service_key of, storage::tally const& counts)
{
    storage::execution_counts table(*web.shared);
    web.data.exec("DELETE FROM lock_fence");
    web.data.exec("INSERT INTO lock_fence (namespace, epoch) VALUES ('master', 2)");
    bool const written = wait_for(table.put({"master", 2}, minute, {{of, counts}}, true));
    REQUIRE(written);
}

// An execution that failed after its last attempt.
void bury(site_on_store& web, int id, std::string const& project, std::string const& task, std::string const& error)
{
    auto const now = to_micros(web.time.utc());
    web.data.exec("INSERT INTO dead_letter (execution_id, namespace, project, task_id, died_at, resolution) VALUES (" +
                  std::to_string(id) + ", 1, '" + project + "', " + task + ", " + std::to_string(now + id) +
                  ", 'open')");
    web.data.exec("INSERT INTO failure (execution_id, namespace, task_id, scheduled_at, error) VALUES (" +
                  std::to_string(id) + ", 1, " + task + ", " + std::to_string(now) + ", '" + error + "')");
}

} // namespace

TEST_CASE("the overview of a cluster that has done nothing is empty, and names what is missing")
{
    auto const web = arrange(GENERATE(engine::mysql, engine::sqlite));
    auto task = sample("alone");
    task["service"] = "nobody";
    web->posted(201, "/api/v1/tasks?allow_unserved=true", task);
    auto const seen = web->got(200, "/api/v1/overview");
    CHECK(seen.at("master").is_null());
    CHECK(seen.at("last_failover").is_null());
    CHECK(seen.at("nodes") == json{{"live", 0},
                                   {"draining", 0},
                                   {"silent", 0},
                                   {"cut_off", 0},
                                   {"part_failed", 0},
                                   {"cannot_plan", 0},
                                   {"gone", 0}});
    CHECK(seen.at("clients") == json{{"live", 1}, {"unreachable", 0}, {"draining", 0}});
    CHECK(seen.at("services_without_client") == json{{{"project", "default"}, {"service", "nobody"}, {"clients", 0}}});
    CHECK(seen.at("paused").empty());
    CHECK(seen.at("more_paused") == false);
    CHECK(seen.at("open_dead_letters") == json{{"count", 0}, {"more", false}});
    CHECK(seen.at("tasks") == json{{"enabled", 1}, {"disabled", 0}, {"parked", 0}});
    CHECK(seen.at("counted_to").is_null());
    CHECK(seen.at("last_month").at("fired") == 0);
    CHECK(seen.at("last_month").at("lag_p50_ms").is_null());
    CHECK(seen.at("minutes").empty());
    CHECK(seen.at("due_next").at(0).at("name") == "alone");
    CHECK(seen.at("due_next").at(0).at("execution").is_null());
    CHECK(web->got(200, "/api/v1/upcoming") == json{{"items", seen.at("due_next")}, {"more", false}});
    auto const at = seen.at("due_next").at(0).at("at").get<std::string>();
    CHECK(web->got(200, "/api/v1/upcoming?until=" + at).at("items").empty());
    web->problem(400, web->get("/api/v1/upcoming?limit=501"));
}

TEST_CASE("the overview sums the minutes and hours that are counted, of all or of one service")
{
    auto const web = arrange(GENERATE(engine::mysql, engine::sqlite));
    auto const now = std::chrono::floor<std::chrono::minutes>(web->time.utc());
    storage::tally counts;
    counts.fired = 3;
    counts.failed = 1;
    counts.skipped = 2;
    counts.lags = {1, 0, 0, 0, 0, 1, 0, 0, 0};
    count(*web, now, {"default", "billing"}, counts);
    count(*web, now - 5h, {"default", "billing"}, counts);
    count(*web, now - 24h * 20, {"default", "other"}, counts);
    count(*web, now - 24h * 40, {"default", "other"}, counts);
    auto const seen = web->got(200, "/api/v1/overview");
    CHECK(seen.at("last_hour").at("fired") == 3);
    CHECK(seen.at("last_hour").at("failed") == 1);
    CHECK(seen.at("last_hour").at("skipped") == 2);
    CHECK(seen.at("last_hour").at("late") == 1);
    CHECK(seen.at("last_hour").at("lag_p50_ms") == 10.0);
    CHECK(seen.at("last_day").at("fired") == 6);
    CHECK(seen.at("last_month").at("fired") == 9);
    CHECK(seen.at("minutes").size() == 1);
    CHECK(seen.at("minutes").at(0).at("lags").at(5) == 1);
    CHECK(seen.at("hours").size() == 2);
    auto const one = web->got(200, "/api/v1/overview?project=default&service=other");
    CHECK(one.at("last_day").at("fired") == 0);
    CHECK(one.at("last_month").at("fired") == 3);
    CHECK(web->problem(400, web->get("/api/v1/overview?service=other")).at("field") == "project");
}

TEST_CASE("the overview of a project is of this project alone, but for nodes and counts")
{
    auto const web = arrange(GENERATE(engine::mysql, engine::sqlite));
    web->join_client("billing", {"close-day"}, "shop");
    auto other = sample("of-shop");
    other["project"] = "shop";
    auto const mine = web->create(sample("of-default"));
    auto const theirs = web->create(other);
    other["name"] = "unserved";
    other["service"] = "nobody";
    web->posted(201, "/api/v1/tasks?allow_unserved=true", other);
    web->posted(200, "/api/v1/projects/shop/pause", {{"reason", "moving"}});
    bury(*web, 1, "default", mine, "one");
    bury(*web, 2, "shop", theirs, "two");
    bury(*web, 3, "shop", theirs, "the latest");

    auto const all = web->got(200, "/api/v1/overview");
    CHECK(all.at("clients").at("live") == 2);
    CHECK(all.at("failing").size() == 2);
    CHECK(all.at("due_next").size() == 3);
    CHECK(all.at("open_dead_letters").at("count") == 3);
    CHECK(all.at("failed_last_hour").at("count") == 3);

    auto const shop = web->got(200, "/api/v1/overview?project=shop");
    CHECK(shop.at("clients").at("live") == 1);
    CHECK(shop.at("services_without_client").at(0).at("service") == "nobody");
    REQUIRE(shop.at("paused").size() == 1);
    CHECK(shop.at("paused").at(0).at("service").is_null());
    CHECK(shop.at("paused").at(0).at("pause").at("reason") == "moving");
    REQUIRE(shop.at("failing").size() == 1);
    CHECK(shop.at("failing").at(0).at("task") == theirs);
    CHECK(shop.at("failing").at(0).at("failures") == 2);
    CHECK(shop.at("failing").at(0).at("open") == 2);
    CHECK(shop.at("failing").at(0).at("error") == "the latest");
    CHECK(shop.at("open_dead_letters").at("count") == 2);
    CHECK(shop.at("failed_last_hour") == json{{"count", 2}, {"more", false}});
    REQUIRE(shop.at("due_next").size() == 2);
    CHECK(web->got(200, "/api/v1/upcoming?project=shop").at("items") == shop.at("due_next"));
    CHECK(web->got(200, "/api/v1/upcoming?limit=2").at("items").size() == 2);
    CHECK(web->got(200, "/api/v1/upcoming?limit=2").at("more") == true);
    CHECK(shop.at("due_next").at(0).at("project") == "shop");

    auto const mute = web->got(200, "/api/v1/overview?project=default");
    CHECK(mute.at("paused").empty());
    CHECK(mute.at("due_next").size() == 1);
}

TEST_CASE("the overview shows twenty pauses, and says whether there are more")
{
    auto const web = arrange(GENERATE(engine::mysql, engine::sqlite));
    for (int i = 1; i <= 21; ++i) {
        auto const number = std::to_string(i);
        web->data.exec(
            "INSERT INTO pause (id, namespace, project, service, firings, reason, begun_by, since) VALUES (" + number +
            ", 1, 'shop', 's" + number + "', 'hold', 'why', 'ann', 1)");
    }
    auto const many = web->got(200, "/api/v1/overview");
    CHECK(many.at("paused").size() == 20);
    CHECK(many.at("more_paused") == true);
    web->data.exec("DELETE FROM pause WHERE id = 21");
    auto const all = web->got(200, "/api/v1/overview?project=shop");
    CHECK(all.at("paused").size() == 20);
    CHECK(all.at("more_paused") == false);
}

TEST_CASE("a service whose clients cannot be given work is named with their number")
{
    auto const web = arrange(GENERATE(engine::mysql, engine::sqlite));
    web->create(sample("stuck"));
    web->data.exec("UPDATE client SET state = 'draining'");
    auto const seen = web->got(200, "/api/v1/overview");
    CHECK(seen.at("services_without_client") == json{{{"project", "default"}, {"service", "billing"}, {"clients", 1}}});
}

TEST_CASE("a node counts under the worst that is true of it, and a process that was started anew not at all")
{
    auto const node = [](std::string name, duration age, std::string health, bool draining) {
        storage::node_record one;
        one.name = std::move(name);
        one.age = age;
        one.ttl = 3s;
        one.health = std::move(health);
        one.draining = draining;
        return one;
    };
    json body;
    add_nodes(body, {node("a", 0s, R"({"heartbeat_ms":1000})", false), node("b", 0s, "{}", true),
                     node("c", 2'500ms, R"({"heartbeat_ms":1000})", true),
                     node("d", 0s, R"({"cannot_plan":"no zones"})", true), node("e", 9s, "{}", false),
                     node("f", 0s, R"({"contact":"cut_off"})", true),
                     node("h", 0s, R"({"failed_parts":[{"part":"janitor"}],"contact":"cut_off"})", true),
                     node("g", 0s, R"({"contact":"returning"})", false), node("a", 9s, "{}", false)});
    CHECK(body.at("nodes") == json{{"live", 7},
                                   {"draining", 1},
                                   {"silent", 1},
                                   {"cut_off", 1},
                                   {"part_failed", 1},
                                   {"cannot_plan", 1},
                                   {"gone", 1}});
}

TEST_CASE("the overview names the tasks that run slower than before, and a task tells its run times")
{
    auto const web = arrange(GENERATE(engine::mysql, engine::sqlite));
    auto const id = web->create(sample("sums"));
    web->data.exec("INSERT INTO slow_task (task_id, namespace, usual_us, recent_us, since) VALUES (" + id +
                   ", 1, 2100000, 9400000, 1774746000000000)");
    auto const slow = web->got(200, "/api/v1/overview?project=default").at("slow");
    CHECK(slow == json{{{"task", id},
                        {"project", "default"},
                        {"name", "sums"},
                        {"service", "billing"},
                        {"usual_ms", 2100},
                        {"recent_ms", 9400},
                        {"since", "2026-03-29T01:00:00.000000Z"}}});
    CHECK(web->got(200, "/api/v1/overview?project=other").at("slow").empty());

    auto const times = "/api/v1/tasks/" + id + "/run-times";
    CHECK(web->got(200, times) == json{{"recent", nullptr}, {"earlier", nullptr}, {"slow", false}});
    for (int i = 0; i < 25; ++i) {
        auto const n = std::to_string(i + 1);
        web->data.exec("INSERT INTO execution (id, project, task_id, task_version, scheduled_at, run_key, cause, "
                       "state, attempt, max_attempts, retry_delay_us, epoch, created_at, started_at, finished_at) "
                       "VALUES (" +
                       n + ", 'default', " + id + ", 1, " + n + ", " + n +
                       ", 'schedule', 'succeeded', 1, 1, 0, 1, 1, 1000, " + (i < 15 ? "2001000" : "6001000") + ")");
    }
    CHECK(web->got(200, times) == json{{"recent", {{"runs", 10}, {"median_ms", 6000}}},
                                       {"earlier", {{"runs", 15}, {"median_ms", 2000}}},
                                       {"slow", true}});
    web->problem(404, web->get("/api/v1/tasks/4711/run-times"));
}

TEST_CASE("an answer is kept for two seconds, and longer while one request makes the next")
{
    kept_answer kept;
    instant const begun{1h};
    CHECK_FALSE(kept.find(begun)); // this request makes it
    CHECK_FALSE(kept.find(begun)); // and this one too, as there is none to give
    kept.keep("one", begun);
    CHECK(kept.find(begun + 1s) == "one");
    CHECK_FALSE(kept.find(begun + 3s));
    CHECK(kept.find(begun + 3s) == "one");
    CHECK_FALSE(kept.find(begun + 10s)); // too old
    kept.give_up();
    CHECK_FALSE(kept.find(begun + 3s)); // so the next one tries
    kept.keep("two", begun + 4s);
    CHECK(kept.find(begun + 5s) == "two");
}

TEST_CASE("the overview names the master and the tasks that fail most")
{
    auto const web = arrange(GENERATE(engine::mysql, engine::sqlite));
    web->lead("alpha:1", "http://127.0.0.1:7800", "secret");
    web->data.exec(
        "INSERT INTO term (namespace, epoch, owner, node, how, began_at, acting_at, gap_us, replayed) VALUES "
        "('master', 2, 'alpha:1', 'alpha', 'free', 1, 2, 300000, 0)");
    auto const id = web->create(sample("often"));
    auto const now = to_micros(web->time.utc());
    for (int i = 1; i <= 4; ++i)
        web->data.exec(
            "INSERT INTO dead_letter (execution_id, namespace, project, task_id, died_at, resolution) VALUES (" +
            std::to_string(i) + ", 1, 'default', " + (i < 4 ? id : "99") + ", " + std::to_string(now - i) + ", '" +
            (i == 2 ? "retried" : "open") + "')");
    auto const seen = web->got(200, "/api/v1/overview");
    CHECK(seen.at("master").at("node") == "alpha");
    CHECK(seen.at("master").at("epoch") == 2);
    CHECK(seen.at("last_gap_ms") == 300);
    CHECK(seen.at("nodes").at("live") == 1);
    REQUIRE(seen.at("failing").size() == 2);
    CHECK(seen.at("failing").at(0).at("name") == "often");
    CHECK(seen.at("failing").at(0).at("failures") == 3);
    CHECK(seen.at("failing").at(1).at("name").is_null());
}

} // namespace web_overview_test
