#include "libs/storage/executions.hpp"
#include "libs/storage/retention.hpp"
#include "tests/unit/storage/tasks_fixture.hpp"

#include <catch2/catch.hpp>

namespace waiting_store_test {

using namespace baton;
using namespace baton::test;
using protocol::blocker;
using storage::engine;

namespace {

struct fixture : tasks_fixture {
    explicit fixture(engine kind) : tasks_fixture(kind), executions(*shared)
    {
        auto const task = create(definition("a", protocol::schedule_kind::api)).task.id;
        for (int i = 0; i < 3; ++i) {
            storage::run_request request;
            request.task = task;
            runs.push_back(wait_for(executions.run_now(request, ids)).execution);
        }
    }
    protocol::state state(execution_id id) { return wait_for(executions.find(id))->state; }

    storage::executions executions;
    std::vector<execution_id> runs;
};

utc_time const then = from_micros(1'700'000'000'000'000);

} // namespace

TEST_CASE("the ledger has for what an execution waited, since when and until when")
{
    fixture f(GENERATE(engine::mysql, engine::sqlite));
    std::vector<storage::kept_back> const kept{{f.runs[0], blocker::service_rate, then},
                                               {f.runs[1], blocker::project_concurrency, then + 1s}};
    wait_for(f.ledger.keep_back(f.mine, kept));
    wait_for(f.ledger.keep_back(f.mine, kept)); // the answer was lost
    CHECK(f.state(f.runs[0]) == protocol::state::waiting);
    CHECK(f.state(f.runs[2]) == protocol::state::planned);

    std::vector<protocol::attempt_key> const first_run{{f.runs[0], 1}};
    wait_for(f.ledger.mark_before_sending(f.mine, first_run));
    CHECK(f.state(f.runs[0]) == protocol::state::planned);
    wait_for(f.ledger.keep_back(f.mine, {{f.runs[0], blocker::task_rate, then + 60s}}));
    CHECK(f.state(f.runs[0]) == protocol::state::planned); // it may be at a client
    wait_for(f.ledger.unmark(f.mine, first_run));
    wait_for(f.ledger.keep_back(f.mine, {{f.runs[0], blocker::task_rate, then + 60s}}));
    CHECK(f.state(f.runs[0]) == protocol::state::waiting);
    auto const waits = wait_for(f.executions.waits(f.runs));
    REQUIRE(waits.size() == 2);
    auto const& first = waits.at(f.runs[0]);
    REQUIRE(first.size() == 2);
    CHECK(first[0].blocker == blocker::service_rate);
    CHECK(first[0].since == then);
    CHECK(first[0].until.value_or(then) > then);
    CHECK(first[1].blocker == blocker::task_rate);
    CHECK_FALSE(first[1].until);
    CHECK_FALSE(waits.at(f.runs[1])[0].until);
}

TEST_CASE("the state of a slow rate is replaced, read while tokens are missing, and deleted after that")
{
    fixture f(GENERATE(engine::mysql, engine::sqlite));
    auto const now = from_micros(f.home.number("SELECT MAX(created_at) FROM execution"));
    task_id const task{7};
    wait_for(f.ledger.record_limit_states(f.mine, {{task, {}, now + 1h}, {{}, {"shop", ""}, now - 1s}}));
    wait_for(f.ledger.record_limit_states(f.mine, {{task, {}, now + 2h}, {{}, {"shop", "stock"}, now + 1h}}));
    auto const states = wait_for(f.ledger.limit_states());
    REQUIRE(states.size() == 2);
    for (auto const& each : states)
        CHECK(each.full_at == (each.task == task ? now + 2h : now + 1h));
    CHECK_FALSE(wait_for(storage::retention(*f.shared).limit_states(10)));
    CHECK(f.home.number("SELECT COUNT(*) FROM limit_state") == 2);
}

TEST_CASE("for what an execution waited is deleted with it")
{
    fixture f(GENERATE(engine::mysql, engine::sqlite));
    wait_for(f.ledger.keep_back(f.mine, {{f.runs[0], blocker::service_rate, then}}));
    wait_for(f.ledger.cancel(f.mine, f.runs, "by a test"));
    storage::retention old(*f.shared);
    auto const later = from_micros(f.home.number("SELECT MAX(created_at) FROM execution")) + 1h;
    CHECK(wait_for(old.executions(later, {}, 100)).deleted == 3);
    CHECK(f.home.number("SELECT COUNT(*) FROM waiting") == 0);
}

TEST_CASE("a master that has been replaced neither keeps back nor lets go")
{
    fixture f(GENERATE(engine::mysql, engine::sqlite));
    auto next = f.mine;
    ++next.epoch;
    wait_for(f.ledger.raise(next));
    CHECK_THROWS_AS(wait_for(f.ledger.keep_back(f.mine, {{f.runs[0], blocker::task_rate, then}})), not_master);
    CHECK_THROWS_AS(wait_for(f.ledger.record_limit_states(f.mine, {{task_id{7}, {}, then}})), not_master);
    CHECK(f.home.number("SELECT COUNT(*) FROM waiting") == 0);
    CHECK(f.home.number("SELECT COUNT(*) FROM limit_state") == 0);
}

} // namespace waiting_store_test
