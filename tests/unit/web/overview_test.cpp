#include "libs/storage/execution_counts.hpp"
#include "tests/unit/web/harness.hpp"
#include "web/kept_answer.hpp"

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
    CHECK(seen.at("nodes") == json{{"live", 0}, {"gone", 0}});
    CHECK(seen.at("clients") == json{{"live", 1}, {"unreachable", 0}, {"draining", 0}});
    CHECK(seen.at("services_without_client") == json{{{"project", "default"}, {"service", "nobody"}}});
    CHECK(seen.at("tasks") == json{{"enabled", 1}, {"disabled", 0}, {"parked", 0}});
    CHECK(seen.at("counted_to").is_null());
    CHECK(seen.at("last_month").at("fired") == 0);
    CHECK(seen.at("last_month").at("lag_p50_ms").is_null());
    CHECK(seen.at("minutes").empty());
    CHECK(seen.at("due_next").at(0).at("name") == "alone");
    CHECK(seen.at("due_next").at(0).at("execution").is_null());
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
