// The election on a thread of its own, and the working loop on the test's.

#include "libs/base/loop.hpp"
#include "libs/base/loop_meter.hpp"
#include "libs/base/process.hpp"
#include "tests/unit/trigger/election/scripted_lease.hpp"
#include "trigger/election/election_proxy.hpp"

#include <catch2/catch.hpp>

namespace election_proxy_test {

using namespace baton;
using namespace baton::trigger;
using namespace asio::experimental::awaitable_operators;
using baton::test::scripted_lease;

namespace {

election_settings quick()
{
    election_settings how;
    how.tick = 50ms;
    how.ttl = 600ms;
    how.margin = 20ms;
    how.stuck = 1s;
    return how;
}

struct fixture {
    asio::io_context working{1};
    measured_thread electing{"election"};
    system_time time;
    seeded_random random{7};
    scripted_lease lease{time}; // on the election's loop
    std::atomic<std::uint64_t> stamp{0};
    elector votes{quick(), {"me", "http://127.0.0.1:1"}, {lease, time, random}, electing.loop().executor()};
    election_proxy election{votes, loop_ref(electing.loop().executor()), loop_ref(working.get_executor())};
    int terms = 0;
    bool on_duty = false;

    fixture()
    {
        votes.require_progress([this] { return stamp.load(); });
    }

    awaitable<void> stamps()
    {
        for (;;) {
            ++stamp;
            co_await time.sleep_for(10ms);
        }
    }

    awaitable<void> serve()
    {
        ++terms;
        on_duty = true;
        std::shared_ptr<void> const at_end(nullptr, [this](auto) { on_duty = false; });
        waker never(working.get_executor());
        co_await never.wait();
    }

    awaitable<void> wait_for_term(int number)
    {
        while (terms < number || !on_duty)
            co_await time.sleep_for(1ms);
    }

    // Plays `scene` while the election runs, and then stops it.
    void play(std::function<awaitable<void>()> scene)
    {
        auto const all = [&]() -> awaitable<void> { co_await (take_part() && with_stamps(scene)); };
        std::exception_ptr failure;
        asio::co_spawn(working, all(), [&](std::exception_ptr thrown) { failure = thrown; });
        working.run();
        if (failure)
            std::rethrow_exception(failure);
        CHECK_FALSE(on_duty);
    }

    awaitable<void> take_part()
    {
        elector::duty const duty = [this](std::int64_t) { return serve(); };
        co_await election.run(duty);
    }

    awaitable<void> with_stamps(std::function<awaitable<void>()> const& scene)
    {
        co_await (stamps() || scene());
        election.stop();
    }

    bool active() { return election.state().at(time.now()) == standing::active; }
};

} // namespace

TEST_CASE("a term runs on the working loop, and a clean stop ends it and releases the lease")
{
    fixture f;
    f.play([&]() -> awaitable<void> {
        co_await f.wait_for_term(1);
        CHECK(f.active());
        co_await f.time.sleep_for(200ms);
        REQUIRE(f.election.last_row());
        CHECK(f.election.last_row()->owner == "me");
    });
    CHECK(f.lease.released);
    CHECK(f.election.released() == 2);
    CHECK(f.election.why_ended() == "a clean stop");
}

TEST_CASE("a step of the working loop that is longer than the lease costs no mastership")
{
    fixture f;
    f.play([&]() -> awaitable<void> {
        co_await f.wait_for_term(1);
        for (int i = 0; i < 3; ++i) {
            block_thread(900ms); // the ttl is 600 ms
            CHECK(f.active());
            co_await f.time.sleep_for(50ms);
        }
    });
    CHECK(f.terms == 1);
}

TEST_CASE("a working loop that stands still loses its term, and leads again when it goes on")
{
    fixture f;
    f.play([&]() -> awaitable<void> {
        co_await f.wait_for_term(1);
        block_thread(2s);
        CHECK_FALSE(f.active());
        co_await f.wait_for_term(2);
        CHECK(f.active());
    });
    CHECK(f.terms == 2);
}

TEST_CASE("a superseded term does not act any more at once, and is given up then")
{
    fixture f;
    f.play([&]() -> awaitable<void> {
        co_await f.wait_for_term(1);
        f.election.superseded(9, "a slave");
        CHECK_FALSE(f.active());
        while (f.on_duty)
            co_await f.time.sleep_for(1ms);
        CHECK(f.election.why_ended() == "a slave knows epoch 9");
    });
}

TEST_CASE("the end of the working loop's part that runs the election ends the election")
{
    fixture f;
    auto const all = [&]() -> awaitable<void> { co_await (f.take_part() || f.wait_for_term(1)); };
    asio::co_spawn(f.working, all(), asio::detached);
    f.working.run();
    CHECK_FALSE(f.on_duty);
    CHECK(f.terms == 1);
}

} // namespace election_proxy_test
