// Two masters, each with a namespace of its own, over the same tables.

#include "libs/base/random.hpp"
#include "libs/schedule/plan.hpp"
#include "tests/unit/storage/scheduler_bench.hpp"

#include <catch2/catch.hpp>

namespace namespaces_test {

using namespace baton;
using namespace baton::test;
using storage::engine;
using numbers = std::vector<std::int64_t>;

namespace {

constexpr protocol::namespace_id other_namespace = 2;
utc_time const noon = from_micros(1'800'000'000'000'000);
utc_time const evening = noon + 6h;

template <class Items>
numbers ids_of(Items const& items)
{
    numbers out;
    for (auto const& one : items)
        out.push_back(one.id.value());
    return out;
}

struct bench : scheduler_bench {
    bench() : scheduler_bench(GENERATE(engine::mysql, engine::sqlite))
    {
        wait_for(ledger.raise(mine));
        wait_for(other.raise(theirs));
    }

    protocol::task_definition by_hand(std::string name) const
    {
        protocol::task_definition task;
        task.name = std::move(name);
        task.service = "s";
        task.handler = "h";
        task.schedule.kind = protocol::schedule_kind::api;
        return task;
    }
    void give_away(int task) { home.exec("UPDATE task SET namespace = 2 WHERE id = " + std::to_string(task)); }

    storage::fence theirs{"second", 3};
    storage::ledger other{*deciding, *shared, other_namespace};
    system_time time;
    seeded_random chance{Catch::rngSeed()};
    id_generator ids{time, chance};
};

} // namespace

TEST_CASE("a master finds the due and the parked tasks of its namespace only")
{
    bench b;
    for (int task = 1; task <= 4; ++task)
        b.add_task(task, noon + task * 1s);
    b.give_away(2);
    b.give_away(4);
    CHECK(ids_of(wait_for(b.ledger.due(evening, {}, 10))) == numbers{1, 3});
    CHECK(ids_of(wait_for(b.other.due(evening, {}, 10))) == numbers{2, 4});
    CHECK(wait_for(b.ledger.first_due(evening)) == noon + 1s);
    CHECK(wait_for(b.other.first_due(evening)) == noon + 2s);

    protocol::service_key const service{"default", "s"};
    wait_for(b.other.park(b.theirs, {{task_id{2}, 1, noon + 2s, service, "full"}}));
    CHECK(wait_for(b.ledger.parked_services()).empty());
    CHECK(wait_for(b.other.parked_services()) == std::vector{service});
    CHECK(wait_for(b.ledger.unpark(b.mine, service, 10)).instants.empty());
    CHECK(ids_of(wait_for(b.other.due(evening, {}, 10))) == numbers{4});
    CHECK(wait_for(b.other.unpark(b.theirs, service, 10)).instants == std::vector{noon + 2s});
}

TEST_CASE("a master finds the open executions of its namespace only")
{
    bench b;
    b.plan_one(11, 1, noon);
    b.add_task(2, noon);
    b.give_away(2);
    storage::advance const step{task_id{2}, 1, noon, noon + 60s, std::nullopt};
    REQUIRE(wait_for(b.other.plan(b.theirs, {step}, {b.firing(12, 2, noon)})));
    CHECK(ids_of(wait_for(b.ledger.open(evening, {}, 10))) == numbers{11});
    CHECK(ids_of(wait_for(b.other.open(evening, {}, 10))) == numbers{12});
    CHECK(ids_of(wait_for(b.ledger.open_keys(evening, {}, 10))) == numbers{11});
    CHECK(ids_of(wait_for(b.other.open_keys(evening, {}, 10))) == numbers{12});

    storage::executions mine(*b.shared);
    storage::executions theirs(*b.shared, other_namespace);
    for (std::optional<bool> const open : {std::optional<bool>(), std::optional(true)}) {
        CHECK(ids_of(wait_for(mine.list({.open = open})).items) == numbers{11});
        CHECK(ids_of(wait_for(theirs.list({.open = open})).items) == numbers{12});
    }
    CHECK_FALSE(wait_for(mine.find(execution_id{12})));
    CHECK(wait_for(theirs.find(execution_id{12})));
    CHECK(wait_for(mine.request_cancel(execution_id{12}, b.ids)).outcome == storage::cancel_outcome::not_found);
    CHECK(wait_for(theirs.request_cancel(execution_id{12}, b.ids)).outcome == storage::cancel_outcome::requested);
}

TEST_CASE("a fixed-delay task is found by the master of its namespace when its execution has ended")
{
    bench b;
    b.plan_one(11, 1, noon);
    b.home.exec("UPDATE task SET waiting_for = 11, next_fire_at = NULL");
    b.give_away(1);
    b.record(b.result(11, protocol::state::succeeded));
    execution_id after;
    CHECK(wait_for(b.ledger.delayed_ready(after, 10)).empty());
    CHECK(ids_of(wait_for(b.other.delayed_ready(after, 10))) == numbers{1});
}

TEST_CASE("tasks, runs and their signals belong to the namespace that made them")
{
    bench b;
    storage::tasks mine(*b.shared, schedule::plan_edit, 0s);
    storage::tasks theirs(*b.shared, schedule::plan_edit, 0s, other_namespace);
    storage::executions runs(*b.shared, other_namespace);
    storage::signals signals(*b.shared);
    storage::signals their_signals(*b.shared, other_namespace);
    auto const here = wait_for(mine.create(b.ids, b.by_hand("here"))).task.id;
    auto const there = wait_for(theirs.create(b.ids, b.by_hand("there"))).task.id;
    CHECK(ids_of(wait_for(mine.list({})).items) == numbers{here.value()});
    CHECK(ids_of(wait_for(theirs.list({})).items) == numbers{there.value()});
    CHECK(wait_for(mine.count()) == 1);
    CHECK_FALSE(wait_for(mine.find(there)));
    CHECK_FALSE(wait_for(mine.find_by_name("default", "there")));
    CHECK(wait_for(mine.remove(there, std::nullopt, b.ids)).outcome == storage::edit_outcome::not_found);
    CHECK(wait_for(signals.pending(1h, utc_time::max(), 10)).size() == 1);
    CHECK(wait_for(their_signals.pending(1h, utc_time::max(), 10)).size() == 1);

    CHECK(wait_for(runs.run_now({here, std::nullopt, std::nullopt, "f"}, b.ids)).outcome ==
          storage::run_outcome::not_found);
    auto const ran = wait_for(runs.run_now({there, std::nullopt, std::nullopt, "f"}, b.ids));
    REQUIRE(ran.outcome == storage::run_outcome::created);
    CHECK(ids_of(wait_for(b.other.open(utc_time::max(), {}, 10))) == numbers{ran.execution.value()});
    CHECK(wait_for(b.ledger.open(utc_time::max(), {}, 10)).empty());
    CHECK(wait_for(signals.pending(1h, utc_time::max(), 10)).size() == 1);
    CHECK(wait_for(their_signals.pending(1h, utc_time::max(), 10)).size() == 2);
    CHECK(wait_for(signals.older(-1h, 10)).size() == 1);
}

} // namespace namespaces_test
