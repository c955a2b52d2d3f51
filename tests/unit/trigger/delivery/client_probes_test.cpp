#include "libs/sim/sim.hpp"
#include "trigger/delivery/client_probes.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <vector>

namespace client_probes_test {

using namespace baton;
using namespace baton::trigger;

namespace {

std::string const address = "http://10.0.0.7:41234";

// Ticks every 100 ms, as the dispatcher does, and marks the lanes of clients as it does.
struct fixture {
    sim::stage stage{7};
    sim::host& host = stage.add_host("node");
    seeded_random random{1};
    trigger::lanes lanes{{}, random};
    std::map<std::string, std::vector<instant>> probed;
    std::map<std::string, int> proved;
    bool answers = false;
    duration answer_time = 1ms;
    int under_way = 0;
    int most_under_way = 0;
    client_probes probes{lanes,
                         host.time(),
                         stage.loop.get_executor(),
                         {[this](std::string instance) { return probe(std::move(instance)); },
                          [this](std::string const& instance) { succeed(instance); },
                          [this](std::string const& instance, std::string const&) { fail(instance); }}};

    fixture() { host.spawn(probes.around(tick())); }
    ~fixture() { stage.end(); }

    awaitable<void> tick()
    {
        for (;;) {
            probes.tick();
            co_await host.time().sleep_for(100ms);
        }
    }
    awaitable<client_calls::probe_outcome> probe(std::string instance)
    {
        probed[instance].push_back(host.time().now());
        most_under_way = std::max(most_under_way, ++under_way);
        co_await host.time().sleep_for(answer_time);
        --under_way;
        client_calls::probe_outcome outcome{address, {}};
        if (!answers)
            outcome.wrong = "connection timed out";
        co_return outcome;
    }
    void succeed(std::string const& instance)
    {
        ++proved[instance];
        if (auto* lane = lanes.find(instance))
            lane->proved_at_address();
        probes.forget(instance);
    }
    void fail(std::string const& instance)
    {
        auto* lane = lanes.find(instance);
        if (lane == nullptr)
            return;
        lane->failed(host.time().now());
        probes.add_later(instance);
    }
    void add(std::string const& instance, std::string const& service = "s")
    {
        lanes.put({instance, {"default", service}, {"h"}, 1, 0, false, address, 1});
        probes.add(instance);
    }
};

} // namespace

TEST_CASE("a client that does not prove itself is probed again, with pauses that grow to a bound")
{
    fixture f;
    f.add("a");
    f.stage.time.run_for(60s);
    auto const& times = f.probed["a"];
    REQUIRE(times.size() > 8);
    CHECK(times.size() < 25);
    CHECK(times[1] - times[0] < 300ms);
    CHECK(times.back() - times[times.size() - 2] >= 4s);
    CHECK(times.back() - times[times.size() - 2] <= 6s);
    f.answers = true;
    f.stage.time.run_for(6s);
    CHECK(f.proved["a"] == 1);
    auto const count = times.size();
    f.stage.time.run_for(60s);
    CHECK(times.size() == count);
}

TEST_CASE("a client that is forgotten or gone is not probed again")
{
    fixture f;
    f.add("forgotten");
    f.add("gone");
    f.stage.time.run_for(10ms);
    f.probes.forget("forgotten");
    f.lanes.remove("gone");
    f.stage.time.run_for(60s);
    CHECK(f.probed["forgotten"].size() == 1);
    CHECK(f.probed["gone"].size() == 1);
}

TEST_CASE("at most 200 clients are probed at a time, and all of them are")
{
    fixture f;
    f.answers = true;
    f.answer_time = 50ms;
    for (int number = 0; number < 1'000; ++number)
        f.add("client-" + std::to_string(number), "service-" + std::to_string(number % 5));
    f.stage.time.run_for(1s);
    CHECK(f.proved.size() == 1'000);
    CHECK(f.most_under_way == 200);
}

TEST_CASE("a client is probed at once while a thousand clients of another service do not answer")
{
    fixture f;
    f.answer_time = 5s;
    for (int number = 0; number < 1'000; ++number)
        f.add("mute-" + std::to_string(number), "mute");
    f.stage.time.run_for(1s);
    f.add("well", "well");
    f.stage.time.run_for(10ms);
    CHECK(f.probed["well"].size() == 1);
}

} // namespace client_probes_test
