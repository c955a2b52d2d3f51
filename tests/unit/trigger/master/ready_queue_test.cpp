#include "libs/protocol/blocker.hpp"
#include "trigger/master/ready_queue.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

namespace ready_queue_test {

using namespace baton;
using namespace baton::trigger;

namespace {

// Of "service" or "project/service".
protocol::service_key key(std::string const& text)
{
    auto const slash = text.find('/');
    return slash == std::string::npos ? protocol::service_key{"default", text}
                                      : protocol::service_key{text.substr(0, slash), text.substr(slash + 1)};
}

// Places executions as long as a service has room, and notes their order.
struct fixture {
    ready_queue queue;
    std::map<std::string, std::size_t> room;
    std::vector<std::string> order; // services, one entry for each execution
    std::map<std::string, int> looks;
    std::optional<instant> again;
    std::int64_t next_id = 1;

    void put(std::string const& name, int count, std::string const& handler = "h")
    {
        auto const service = key(name);
        for (int i = 0; i < count; ++i)
            queue.put(service, {protocol::client_choice::round_robin, handler, {}}, execution_id{next_id++});
    }
    bool turn(std::size_t quantum)
    {
        return queue
            .turn(quantum,
                  [this](auto const& key, auto const&, auto const& first, std::size_t most) {
                      auto const service = to_text(key);
                      ++looks[service];
                      ready_queue::placement out;
                      out.taken = std::min({first.size(), most, room[service]});
                      room[service] -= out.taken;
                      order.insert(order.end(), out.taken, service);
                      if (out.taken == 0)
                          out.again = again;
                      return out;
                  })
            .has_value();
    }
    void run(std::size_t quantum)
    {
        while (turn(quantum))
            continue;
    }
};

} // namespace

TEST_CASE("services take turns, so a million executions of one do not delay ten of another")
{
    fixture f;
    f.room = {{"large", 1'000'000}, {"small", 100}};
    f.put("large", 10'000);
    f.put("small", 10);
    for (int i = 0; i < 2; ++i)
        f.turn(500);
    CHECK(std::count(f.order.begin(), f.order.end(), "large") == 500);
    CHECK(std::count(f.order.begin(), f.order.end(), "small") == 10);
    f.run(500);
    CHECK(f.order.size() == 10'010);
    CHECK(f.queue.size() == 0);
}

TEST_CASE("what is parked for a client is looked at when the client has room, or in time, and holds up nothing else")
{
    ready_queue queue;
    auto const shop = key("shop");
    using protocol::client_choice;
    std::set<std::string> full{"a"};
    std::vector<std::string> looked_at;
    std::int64_t placed = 0;
    auto const run = [&] {
        looked_at.clear();
        while (queue.turn(10, [&](auto const&, ready_queue::need const& what, auto const& first, std::size_t most) {
            looked_at.push_back(what.instance);
            ready_queue::placement out;
            out.park = full.contains(what.instance);
            out.taken = out.park ? 0 : std::min(first.size(), most);
            if (out.park)
                out.again = instant{100s};
            placed += static_cast<std::int64_t>(out.taken);
            return out;
        }))
            continue;
    };
    queue.put(shop, {client_choice::instance, "h", "a"}, execution_id{1});
    for (int id = 10; id < 40; ++id) // more than a turn takes
        queue.put(shop, {client_choice::instance, "h", "b"}, execution_id{id});
    run();
    CHECK(placed == 30);
    CHECK(queue.next_unblock() == instant{100s});
    queue.put(shop, {client_choice::instance, "h", "a"}, execution_id{3});
    queue.put(shop, {client_choice::instance, "h", "b"}, execution_id{4});
    CHECK(queue.unblock(shop));
    run();
    CHECK(looked_at == std::vector<std::string>{"b"});
    CHECK_FALSE(queue.unpark(shop, "b"));
    CHECK(queue.next_unblock() == instant{100s});
    SECTION("it has room")
    {
        full.clear();
        CHECK(queue.unpark(shop, "a"));
    }
    SECTION("its time has come")
    {
        full.clear();
        queue.unblock_due(instant{100s});
    }
    run();
    CHECK(placed == 33);
    CHECK(queue.size() == 0);
}

TEST_CASE("a service without room is looked at once, and again only when it is unblocked")
{
    fixture f;
    f.put("dead", 1'000);
    f.run(500);
    CHECK(f.looks["dead"] == 1);
    f.put("dead", 1'000);
    f.run(500);
    CHECK(f.looks["dead"] == 1);
    CHECK(f.queue.waiting(key("dead")) == 2'000);
    f.room["dead"] = 3;
    CHECK(f.queue.unblock(key("dead")));
    f.run(500);
    CHECK(f.queue.waiting(key("dead")) == 1'997);
    CHECK_FALSE(f.queue.unblock(key("unknown")));
}

TEST_CASE("a handler without room does not hold up the service's other handlers")
{
    fixture f;
    f.put("s", 5, "unserved");
    f.put("s", 5, "served");
    ready_queue::place_function const only_served = [&](auto const&, auto const& what, auto const& first,
                                                        std::size_t most) {
        return ready_queue::placement{what.handler == "served" ? std::min(first.size(), most) : 0, {}};
    };
    while (f.queue.turn(2, only_served))
        continue;
    CHECK(f.queue.waiting(key("s")) == 5);
}

TEST_CASE("a try that names a time is repeated at that time")
{
    fixture f;
    f.again = instant{5s};
    f.put("s", 1);
    f.run(10);
    CHECK(f.queue.next_unblock() == instant{5s});
    f.room["s"] = 1;
    f.queue.unblock_due(instant{4s});
    CHECK_FALSE(f.queue.any_active());
    f.queue.unblock_due(instant{5s});
    f.run(10);
    CHECK(f.queue.size() == 0);
    CHECK_FALSE(f.queue.next_unblock());
}

TEST_CASE("two projects with a service of the same name wait in queues of their own")
{
    fixture f;
    f.put("s", 3);
    f.put("theirs/s", 2);
    f.room = {{"theirs/s", 5}};
    f.run(10);
    CHECK(f.order == std::vector<std::string>{"theirs/s", "theirs/s"});
    CHECK(f.queue.waiting(key("s")) == 3);
    CHECK(f.queue.waiting(key("theirs/s")) == 0);
    CHECK_FALSE(f.queue.unblock(key("theirs/s")));
}

TEST_CASE("executions of several priorities go in the order of their places in line, those of one in the order of put")
{
    using protocol::client_choice;
    std::map<execution_id, utc_time> due;
    ready_queue queue([&](execution_id id) { return due.at(id); });
    ready_queue::need const what{client_choice::round_robin, "h", {}};
    auto const put = [&](int id, int seconds, int priority) {
        due[execution_id{id}] = protocol::place_in_line(utc_time{seconds * 1s}, priority);
        queue.put(protocol::service_view{"default", "s"}, what, execution_id{id}, priority);
    };
    put(1, 100, 0);
    put(2, 101, 0);
    put(3, 109, 1); // counts as 99
    put(4, 110, 1); // as 100, which the lower priority has as well
    put(5, 130, 1);
    put(6, 100, -1);
    std::vector<std::int64_t> order;
    std::size_t room = 3;
    auto const place = [&](auto, auto const&, auto const& first, std::size_t most) {
        ready_queue::placement out;
        for (auto const id : first)
            if (out.taken < std::min(most, room)) {
                order.push_back(id.value());
                ++out.taken;
            }
        room -= out.taken;
        return out;
    };
    while (queue.any_active())
        queue.turn(2, place);
    CHECK(order == std::vector<std::int64_t>{3, 1, 4});
    room = 10;
    queue.unblock(protocol::service_view{"default", "s"});
    while (queue.any_active())
        queue.turn(2, place);
    CHECK(order == std::vector<std::int64_t>{3, 1, 4, 2, 6, 5});
    CHECK(queue.size() == 0);
}

} // namespace ready_queue_test
