#include "tests/unit/storage/executions_bench.hpp"

namespace execution_lists_test {

using namespace baton;
using namespace baton::test;
using protocol::state;
using storage::engine;

namespace {

auto const noon = executions_bench::noon;

} // namespace

TEST_CASE("the list of executions obeys its filter, newest first, and its pages neither repeat nor skip an execution")
{
    executions_bench bench(GENERATE(engine::mysql, engine::sqlite));
    bench.plan_one(10, 10, noon + 1s);
    bench.plan_one(11, 11, noon);
    bench.plan_one(12, 12, noon);
    bench.plan_one(13, 13, noon);
    bench.plan_one(14, 14, noon + 2s);
    bench.home.exec("UPDATE execution SET project = 'other', parent_id = 10 WHERE id = 14");
    bench.home.exec("DELETE FROM task WHERE id = 13");
    bench.record(bench.result(12, state::failed));

    CHECK(bench.list({}) == "14 10 13 12 11 ");
    CHECK(bench.list({.task = task_id{11}}) == "11 ");
    CHECK(bench.list({.project = "other"}) == "14 ");
    CHECK(bench.list({.states = {state::failed}}) == "12 ");
    CHECK(bench.list({.states = {state::failed, state::planned}}) == "14 10 13 12 11 ");
    CHECK(bench.list({.states = {state::running, state::planned}}) == "14 10 13 11 "); // by the index of open ones
    CHECK(bench.list({.open = true}) == "14 10 13 11 ");
    CHECK(bench.list({.open = false}) == "12 ");
    CHECK(bench.list({.from = noon + 1s}) == "14 10 ");
    CHECK(bench.list({.until = noon + 1s}) == "13 12 11 ");
    CHECK(bench.list({.parent = execution_id{10}}) == "14 ");
    CHECK(bench.list({.limit = 2}) == "14 10 ");
    CHECK(bench.list({.after_at = noon + 1s, .after_id = execution_id{10}, .limit = 2}) == "13 12 ");
    CHECK(bench.list({.after_at = noon, .after_id = execution_id{12}, .limit = 2}) == "11 ");
}

TEST_CASE("executions are found by service, cause and the text of an error")
{
    executions_bench bench(GENERATE(engine::mysql, engine::sqlite));
    for (int id = 10; id < 16; ++id)
        bench.plan_one(id, id, noon + id * 1s, 2);
    bench.home.exec("UPDATE task SET service = 'other' WHERE id IN (11, 12)");
    bench.home.exec("UPDATE execution SET cause = 'manual' WHERE id = 13");
    bench.home.exec("UPDATE execution SET cause = 'rerun' WHERE id = 14");
    auto const fail = [&](int id, int attempt, std::string why, bool final = true) {
        auto failed = bench.result(id, state::failed, attempt);
        failed.error = std::move(why);
        failed.final = final;
        bench.record(failed);
    };
    fail(10, 1, "No such ACCOUNT: 100%");
    fail(11, 1, "no such account");
    fail(12, 1, "out of memory", false); // retried
    fail(13, 1, "cannot connect", false);
    storage::next_attempt const next{execution_id{13}, 1, noon, protocol::attempt_cause::retry};
    REQUIRE(wait_for(bench.ledger.begin_attempts(bench.mine, {next})).size() == 1);
    fail(13, 2, "No account");
    auto late = bench.result(15, state::timed_out);
    late.final = true;
    bench.record(late);

    using protocol::cause;
    CHECK(bench.list({.service = "other"}) == "12 11 ");
    CHECK(bench.list({.service = "none"}).empty());
    CHECK(bench.list({.causes = {cause::manual}}) == "13 ");
    CHECK(bench.list({.causes = {cause::manual, cause::rerun}}) == "14 13 ");
    CHECK(bench.list({.error = "account"}) == "13 11 10 ");
    CHECK(bench.list({.error = "100%"}) == "10 ");
    CHECK(bench.list({.error = "connect"}) == "13 "); // of its first attempt
    CHECK(bench.list({.error = "memory"}).empty());   // not for good
    CHECK(bench.list({.states = {state::retrying}, .error = "memory"}) == "12 ");
    CHECK(bench.list({.error = "memory", .open = true}) == "12 ");
    CHECK(bench.list({.error = "' OR 1=1 --"}).empty());
    CHECK(bench.list({.service = "other", .error = "account"}) == "11 ");
    CHECK(bench.list({.task = task_id{11}, .error = "account"}) == "11 ");
    CHECK(bench.list({.causes = {cause::manual}, .error = "account"}) == "13 ");
    CHECK(bench.list({.states = {state::timed_out}}) == "15 ");
    CHECK(bench.list({.states = {state::failed, state::timed_out}}) == "15 13 11 10 ");
    CHECK(bench.list({.task = task_id{10}, .states = {state::failed}}) == "10 ");
    CHECK(bench.list({.states = {state::failed}, .from = noon + 11s, .until = noon + 13s}) == "11 ");
    CHECK(bench.list({.states = {state::failed}, .limit = 2}) == "13 11 ");
    CHECK(bench.list({.states = {state::failed}, .after_at = noon + 11s, .after_id = execution_id{11}}) == "10 ");
}

TEST_CASE("a search for rare executions ends after those that it may look at, and the next page goes on behind them")
{
    executions_bench bench(GENERATE(engine::mysql, engine::sqlite));
    for (int id = 10; id < 19; ++id)
        bench.plan_one(id, id, noon); // of one instant, so that only the id orders them
    bench.home.exec("UPDATE execution SET cause = 'manual', started_at = scheduled_at + 2000000 WHERE id = 11");
    auto const found = [&](storage::execution_filter filter) {
        std::string pages;
        filter.look = 4;
        for (int page = 0; page < 5; ++page) {
            auto const one = wait_for(bench.executions.list(filter));
            for (auto const& each : one.items)
                pages += std::to_string(each.id.value()) + " ";
            if (!one.looked_to)
                return pages + "end";
            pages += "to " + std::to_string(one.looked_to->id.value()) + " ";
            filter.after_at = one.looked_to->at;
            filter.after_id = one.looked_to->id;
        }
        return pages;
    };
    CHECK(found({.causes = {protocol::cause::manual}}) == "to 15 11 to 11 end");
    CHECK(found({.late = true}) == "to 15 11 to 11 end");
    CHECK(found({.service = "none"}) == "to 15 to 11 end");
    CHECK(found({.error = "none", .open = true}) == "to 15 to 11 end"); // more are open than a page may look at
    bench.home.exec("UPDATE execution SET task_id = 10, run_key = id");
    CHECK(found({.task = task_id{10}, .causes = {protocol::cause::manual}}) == "to 15 11 to 11 end");
    for (int id = 10; id < 19; ++id)
        bench.record(bench.result(id, state::failed));
    CHECK(found({.states = {state::failed}, .causes = {protocol::cause::manual}}) == "to 15 11 to 11 end");
    CHECK(found({.error = "none"}) == "to 15 to 11 end");
}

TEST_CASE("executions that are only planned are listed apart, the next one first")
{
    executions_bench bench(GENERATE(engine::mysql, engine::sqlite));
    auto const now = wait_for(bench.ledger.now());
    bench.plan_one(10, 10, now - 2h);
    bench.plan_one(11, 11, now - 1h);
    for (int id = 12; id < 16; ++id)
        bench.plan_one(id, id, now + id * 1h);
    bench.home.exec("UPDATE execution SET task_id = 11 WHERE id = 14");
    bench.home.exec("UPDATE execution SET state = 'cancelled', due_at = NULL WHERE id = 15"); // by an edit

    CHECK(bench.list({.planned = false}) == "11 10 ");
    CHECK(bench.list({.task = task_id{11}, .planned = false}) == "11 ");
    CHECK(bench.list({.states = {state::planned}, .planned = false}) == "11 10 ");
    CHECK(bench.list({.planned = true}) == "12 13 14 ");
    CHECK(bench.list({.task = task_id{11}, .planned = true}) == "14 ");
    CHECK(bench.list({.project = "none", .planned = true}).empty());
    CHECK(bench.list({.planned = true, .limit = 2}) == "12 13 ");
    CHECK(bench.list({.planned = true, .after_at = now + 13h, .after_id = execution_id{13}}) == "14 ");
    CHECK(bench.list({}) == "15 14 13 12 11 10 ");
}

TEST_CASE("a search for rare executions examines a bounded number of rows per page, and the next page continues there")
{
    executions_bench bench(GENERATE(engine::mysql, engine::sqlite));
    for (int id = 10; id < 20; ++id)
        bench.plan_one(id, id, noon + (id / 2) * 1s); // two at each instant
    for (int const id : {10, 11, 18})
        bench.record(bench.result(id, state::succeeded));
    bench.home.exec("UPDATE execution SET task_id = 10, run_key = id WHERE id <> 10");

    storage::execution_filter filter{.states = {state::succeeded}, .look = 3};
    auto const go_on = [&](int id) {
        filter.after_at = noon + (id / 2) * 1s;
        filter.after_id = execution_id{id};
        return bench.list(filter);
    };
    CHECK(bench.list(filter) == "18 to 17");
    CHECK(go_on(17) == "to 14");
    CHECK(go_on(14) == "11 to 11");
    CHECK(go_on(11) == "10 ");

    CHECK(bench.list({.task = task_id{10}, .states = {state::succeeded}, .look = 3}) == "18 to 17");
    CHECK(bench.list({.states = {state::succeeded}, .limit = 1, .look = 3}) ==
          "18 "); // full: it goes on behind the last
    CHECK(bench.list({.project = "none", .look = 3}) == "to 17");
    CHECK(bench.list({.open = false, .look = 8}) == "18 to 12");
    CHECK(bench.list({.states = {state::planned}, .limit = 9, .look = 7}) == "19 17 16 15 14 13 12 ");
    CHECK(bench.list({.states = {state::planned}, .limit = 9, .look = 6}) == "19 17 16 15 14 to 14"); // more are open
    CHECK(bench.list({.look = 3}) == "19 18 17 16 15 14 13 12 11 10 ");

    auto const none = [&](std::optional<utc_time> from, std::optional<utc_time> until, int after) {
        storage::execution_filter bounded{.project = "none", .from = from, .until = until, .look = 3};
        bounded.after_at = noon + (after / 2) * 1s;
        bounded.after_id = execution_id{after};
        return bench.list(bounded);
    };
    CHECK(none(noon + 6s, std::nullopt, 19) == "to 16");
    CHECK(none(noon + 6s, noon + 9s, 19) == "to 15"); // the last page's end is behind `until`
    CHECK(none(noon + 6s, noon + 9s, 17) == "to 14");
    CHECK(none(noon + 6s, noon + 9s, 15) == "to 12");
    CHECK(none(noon + 6s, noon + 9s, 12).empty());
    bench.home.exec("UPDATE execution SET cause = 'manual' WHERE id IN (12, 16)");
    CHECK(bench.list({.causes = {protocol::cause::manual}, .from = noon + 7s, .until = noon + 9s, .look = 3}) ==
          "16 to 15");
    CHECK(bench.list({.causes = {protocol::cause::manual}, .from = noon + 6s, .until = noon + 9s, .look = 9}) ==
          "16 12 ");
}

} // namespace execution_lists_test
