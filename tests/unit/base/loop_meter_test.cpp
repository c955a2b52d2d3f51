#include "libs/base/loop.hpp"
#include "libs/base/loop_meter.hpp"
#include "libs/base/process.hpp"

#include <catch2/catch.hpp>

#include <ctime>

namespace loop_meter_test {

using namespace baton;

namespace {

duration processor_time()
{
    return duration{static_cast<std::int64_t>(std::clock()) * 1'000'000 / CLOCKS_PER_SEC};
}

// Of this process, which has one thread.
void use_processor(duration span)
{
    for (auto const until = processor_time() + span; processor_time() < until;) {
    }
}

// Waits, and then uses the processor, in the next step.
awaitable<void> busy(time_source& time, duration span)
{
    co_await time.sleep_for(5ms);
    use_processor(span);
    co_await time.sleep_for(5ms);
}

awaitable<void> blocked(time_source& time, duration span)
{
    co_await time.sleep_for(5ms);
    block_thread(span);
    co_await time.sleep_for(5ms);
}

loop_step run(awaitable<void> all)
{
    measured_loop loop("test");
    asio::co_spawn(loop.executor(), std::move(all), asio::detached);
    loop.run();
    return loop.longest();
}

} // namespace

TEST_CASE("a loop keeps its longest step and names the part that ran in it")
{
    using namespace asio::experimental::awaitable_operators;
    system_time time;
    auto const all = [&]() -> awaitable<void> {
        co_await (supervised("quick", busy(time, 2ms)) && supervised("slow", busy(time, 40ms)) &&
                  named("middle", busy(time, 10ms)));
    };
    auto const step = run(all());
    CHECK(step.part == "slow");
    CHECK(step.cpu >= 39ms);
    CHECK(step.cpu < 60ms);
    CHECK(step.wall >= step.cpu);
}

TEST_CASE("a step that blocks its thread takes time by the clock, but no processor time")
{
    system_time time;
    auto const step = run(supervised("blocked", blocked(time, 50ms)));
    CHECK(step.wall >= 50ms);
    CHECK(step.cpu < 25ms);
}

TEST_CASE("the time between two steps counts for none")
{
    system_time time;
    auto const all = [&]() -> awaitable<void> {
        for (int i = 0; i < 2; ++i)
            co_await time.sleep_for(300ms);
    };
    auto const step = run(all());
    CHECK(step.wall < 200ms); // a busy machine may delay it
    CHECK(step.cpu < 10ms);
}

TEST_CASE("a part that goes on after another one has its own name again")
{
    using namespace asio::experimental::awaitable_operators;
    system_time time;
    measured_loop loop("test");
    waker bell(loop.executor());
    auto const waits = [&]() -> awaitable<void> {
        co_await bell.wait();
        use_processor(30ms);
    };
    auto const wakes = [&]() -> awaitable<void> {
        co_await time.sleep_for(5ms);
        bell.wake();
    };
    auto const all = [&]() -> awaitable<void> {
        co_await (supervised("waits", waits()) && supervised("wakes", wakes()));
    };
    asio::co_spawn(loop.executor(), all(), asio::detached);
    loop.run();
    CHECK(loop.longest().part == "waits");
}

TEST_CASE("a longest step is forgotten after two minutes, and not before one")
{
    longest_step all;
    instant const start{1'000s};
    all.note(start, 30ms, 40ms, "first");
    all.note(start + 10s, 20ms, 90ms, "second");
    CHECK(all.read(start + 30s).part == "first");
    CHECK(all.read(start + 30s).cpu == 30ms);
    CHECK(all.read(start + 30s).wall == 90ms);
    all.note(start + 65s, 10ms, 10ms, "third");
    CHECK(all.read(start + 69s).part == "first");
    CHECK(all.read(start + 130s).part == "third");
    CHECK(all.read(start + 600s).cpu == 0ms);
}

} // namespace loop_meter_test
