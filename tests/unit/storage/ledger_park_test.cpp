#include "tests/unit/storage/scheduler_bench.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

namespace ledger_park_test {

using namespace baton;
using namespace baton::test;
using protocol::service_key;
using storage::engine;
using storage::parked_task;

namespace {

utc_time const noon = from_micros(1'800'000'000'000'000);
service_key const billing{"shop", "billing"};

parked_task parked(int id, utc_time seen, service_key const& service = billing, int version = 1)
{
    return {task_id{id}, version, seen, service, "no room"};
}

struct fixture : scheduler_bench {
    fixture() : scheduler_bench(GENERATE(engine::mysql, engine::sqlite))
    {
        wait_for(ledger.raise(mine));
        for (int id = 1; id <= 5; ++id)
            add_task(id, noon + id * 1s);
    }

    std::vector<std::int64_t> due()
    {
        std::vector<std::int64_t> ids;
        for (auto const& task : wait_for(ledger.due(noon + 1h, {}, 100)))
            ids.push_back(task.id.value());
        return ids;
    }
    std::int64_t parked_since(int id)
    {
        return home.number("SELECT parked_at FROM task WHERE id = " + std::to_string(id));
    }
};

using numbers = std::vector<std::int64_t>;

} // namespace

TEST_CASE("a parked task is not read as due until it is taken back, and shows since when and why")
{
    fixture f;
    auto const before = wait_for(f.ledger.now());
    wait_for(f.ledger.park(f.mine, {parked(2, noon + 2s), parked(4, noon + 4s)}));
    CHECK(f.due() == numbers{1, 3, 5});
    CHECK(f.parked_since(2) >= to_micros(before));
    CHECK(f.home.text("SELECT parked_reason FROM task WHERE id = 2") == "no room");
    CHECK(f.home.number("SELECT next_fire_at FROM task WHERE id = 2") == to_micros(noon + 2s));

    CHECK(wait_for(f.ledger.unpark(f.mine, billing, 10)).instants == std::vector{noon + 2s, noon + 4s});
    CHECK(f.due() == numbers{1, 2, 3, 4, 5});
    CHECK(f.parked_since(2) == -1);
    CHECK(f.home.text("SELECT parked_reason FROM task WHERE id = 2") == "NULL");
    CHECK(wait_for(f.ledger.unpark(f.mine, billing, 10)).instants.empty());
}

TEST_CASE("tasks are taken back in order of time, up to the limit, and only those of the service and its project")
{
    fixture f;
    service_key const other_project{"another", "billing"};
    service_key const other_service{"shop", "mail"};
    wait_for(f.ledger.park(f.mine, {parked(5, noon + 5s), parked(1, noon + 1s), parked(3, noon + 3s),
                                    parked(2, noon + 2s, other_project), parked(4, noon + 4s, other_service)}));
    CHECK(f.due().empty());
    CHECK(wait_for(f.ledger.unpark(f.mine, billing, 2)).instants == std::vector{noon + 1s, noon + 3s});
    CHECK(f.due() == numbers{1, 3});
    CHECK(wait_for(f.ledger.unpark(f.mine, billing, 2)).instants == std::vector{noon + 5s});
    CHECK(f.due() == numbers{1, 3, 5});
    CHECK(wait_for(f.ledger.unpark(f.mine, other_project, 2)).instants == std::vector{noon + 2s});
    CHECK(wait_for(f.ledger.parked_services()) == std::vector{other_service});
}

TEST_CASE("the earliest instant before another is that of a task that is not parked")
{
    fixture f;
    wait_for(f.ledger.park(f.mine, {parked(1, noon + 1s)}));
    CHECK(wait_for(f.ledger.first_due(noon + 1h)) == noon + 2s);
    CHECK(wait_for(f.ledger.first_due(noon + 2s)) == std::nullopt);
}

TEST_CASE("the services with parked tasks are found")
{
    fixture f;
    CHECK(wait_for(f.ledger.parked_services()).empty());
    std::vector<service_key> const services{{"a", "x"}, {"a", "y"}, {"b", "x"}};
    wait_for(f.ledger.park(f.mine, {parked(1, noon + 1s, services[2]), parked(2, noon + 2s, services[0]),
                                    parked(3, noon + 3s, services[1]), parked(4, noon + 4s, services[0])}));
    auto found = wait_for(f.ledger.parked_services());
    std::sort(found.begin(), found.end());
    CHECK(found == services);
}

TEST_CASE("a task that has changed since it was read is not parked")
{
    fixture f;
    wait_for(f.ledger.park(f.mine, {parked(1, noon), parked(2, noon + 2s, billing, 2), parked(3, noon + 3s)}));
    CHECK(f.due() == numbers{1, 2, 4, 5});
}

TEST_CASE("parking and taking back roll back if the epoch is not the fence's")
{
    fixture f;
    wait_for(f.ledger.park(f.mine, {parked(1, noon + 1s)}));
    for (std::int64_t const epoch : {4, 6}) {
        storage::fence const stale{"master", epoch};
        CHECK_THROWS_AS(wait_for(f.ledger.park(stale, {parked(2, noon + 2s)})), not_master);
        CHECK_THROWS_AS(wait_for(f.ledger.unpark(stale, billing, 10)).instants, not_master);
    }
    CHECK(f.due() == numbers{2, 3, 4, 5});
}

} // namespace ledger_park_test
