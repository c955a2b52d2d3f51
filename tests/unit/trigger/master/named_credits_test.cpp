#include "libs/base/random.hpp"
#include "trigger/master/named_credits.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <deque>
#include <string>

namespace named_credits_test {

using namespace baton;
using namespace baton::trigger;

namespace {

protocol::service_key const shop{"default", "s"};

struct fixture {
    system_time time;
    open_set open{time};
    named_credits credits{open, [this](auto const& instance) {
                              return std::ranges::any_of(clients,
                                                         [&](auto const& one) { return one.instance() == instance; });
                          }};
    std::deque<listed_client> clients;
    std::shared_ptr<known_task const> task = make_task();
    std::int64_t last_id = 0;

    static std::shared_ptr<known_task const> make_task()
    {
        auto task = std::make_shared<known_task>();
        task->definition.project = shop.project;
        task->definition.service = shop.service;
        return task;
    }
    listed_client& add(std::string const& instance, int places)
    {
        auto& one = clients.emplace_back();
        one.name = short_name(instance);
        one.service = &shop;
        one.places = places;
        return one;
    }
    // An execution that the master sends to this client, which it has chosen.
    open_execution& send(listed_client const& client)
    {
        open_execution made;
        made.id = execution_id{++last_id};
        made.task = task;
        open_set::reading const now(open);
        open.add(std::move(made), now);
        auto& one = *open.find(execution_id{last_id});
        open.charge_named(one, &credits.at(client));
        open.move(one, phase::assigned, "node");
        return one;
    }
};

} // namespace

TEST_CASE("a client that the master chooses has the places of its row, minus those that its executions use")
{
    fixture f;
    auto const& client = f.add("host:1", 3);
    auto const& other = f.add("host:2", 1);
    CHECK(f.credits.room(client) == 3);
    auto& first = f.send(client);
    f.send(client);
    CHECK(f.credits.room(client) == 1);
    CHECK(f.credits.room(other) == 1);
    f.open.erase(first.id);
    CHECK(f.credits.room(client) == 2);
}

TEST_CASE("the home of a client tells its places, and until then a large queue counts for little")
{
    fixture f;
    auto const& client = f.add("host:1", 10'000);
    CHECK(f.credits.room(client) == 32);
    f.credits.hear({"host:1", 400});
    f.send(client);
    CHECK(f.credits.room(client) == 399);
    auto& other = f.add("host:2", 10);
    f.credits.hear({"host:2", 0});
    CHECK(f.credits.room(other) == 1);
    other.takes_work = false;
    CHECK(f.credits.room(other) == 0);
    for (int i = 0; i < 1'000; ++i)
        f.credits.hear({"gone " + std::to_string(i), 5});
    CHECK(f.credits.room(client) == 399);
}

TEST_CASE("executions that came to a client without being sent to it by name use its places too, and none twice")
{
    fixture f;
    auto const& client = f.add("host:1", 3);
    auto& named = f.send(client);
    f.open.move(named, phase::held, "host:1");
    CHECK(f.credits.room(client) == 2);
    auto& chosen_by_node = f.send(f.add("host:2", 3));
    f.open.charge_named(chosen_by_node, nullptr);
    f.open.move(chosen_by_node, phase::held, "host:1");
    CHECK(f.credits.room(client) == 1);
}

TEST_CASE("a client whose home returned an execution gets one at a time, until it takes one")
{
    fixture f;
    auto const& client = f.add("host:1", 3);
    auto& returned = f.send(client);
    f.credits.at(client).refused = true;
    f.open.wait(returned, utc_time{});
    CHECK(f.credits.room(client) == 1);
    auto& next = f.send(client);
    f.open.move(next, phase::held, "host:1");
    CHECK(f.credits.room(client) == 2);
}

TEST_CASE("a client whose home returned an execution gets nothing when it is full")
{
    fixture f;
    auto const& client = f.add("host:1", 1);
    f.send(client);
    f.credits.at(client).refused = true;
    CHECK(f.credits.room(client) <= 0);
}

TEST_CASE("the credit of a client with executions outlives thousands of others, which are forgotten")
{
    fixture f;
    auto const& client = f.add("used", 3);
    f.send(client);
    auto const* before = &f.credits.at(client);
    auto const& idle = f.add("idle", 3);
    f.credits.at(idle).closed_until = instant{1s};
    for (int i = 0; i < 1'000; ++i)
        f.credits.at(f.add("other " + std::to_string(i), 3));
    CHECK(&f.credits.at(client) == before);
    CHECK(f.credits.room(client) == 2);
    CHECK(f.credits.at(idle).closed_until == instant{});
}

} // namespace named_credits_test
