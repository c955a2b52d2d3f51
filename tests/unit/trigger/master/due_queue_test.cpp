#include "trigger/master/due_queue.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace baton;
using namespace baton::trigger;

namespace {

auto const at = from_micros(5'000'000);

// `count` executions from this id on.
void herd(due_queue& queue, due_queue::line& line, utc_time due, std::int64_t first, std::int64_t count)
{
    for (auto id = first; id < first + count; ++id)
        queue.put(line, due, execution_id{id});
}

} // namespace

TEST_CASE("the due queue gives the executions of a service in order of time and never early")
{
    due_queue queue;
    due_queue::line line;
    queue.put(line, at + 1'500us, execution_id{2}); // rounds up to the next millisecond
    queue.put(line, at, execution_id{1});
    queue.put(line, at + 3ms, execution_id{3});
    CHECK(queue.next() == at);
    CHECK(queue.take(at - 1us, 10).empty());
    CHECK(queue.take(at + 1'999us, 10) == std::vector{execution_id{1}});
    CHECK(queue.take(at + 2ms, 10) == std::vector{execution_id{2}});
    CHECK(queue.take(at + 1s, 10) == std::vector{execution_id{3}});
    CHECK(queue.next() == std::nullopt);
}

TEST_CASE("the due queue gives no more than it is asked for, and the rest later")
{
    due_queue queue;
    due_queue::line line;
    herd(queue, line, at, 1, 1'000);
    std::vector<execution_id> all;
    while (queue.next()) {
        CHECK(queue.next() == at);
        auto const some = queue.take(at, 150);
        CHECK(some.size() <= 150);
        all.insert(all.end(), some.begin(), some.end());
    }
    REQUIRE(all.size() == 1'000);
    CHECK(std::is_sorted(all.begin(), all.end()));
}

TEST_CASE("what is caught up is taken behind what falls due now, at most 1,000 a second of a service")
{
    due_queue queue;
    due_queue::line late, other;
    auto const now = at + due_queue::caught_up_after + 1ms;
    herd(queue, late, at, 1, 250);
    herd(queue, late, now, 1'001, 3);
    herd(queue, other, at, 2'001, 2);
    auto const first = queue.take(now, 1'000);
    REQUIRE(first.size() == 3 + due_queue::caught_up_in_span + 2);
    CHECK(std::vector(first.begin(), first.begin() + 3) ==
          std::vector{execution_id{1'001}, execution_id{1'002}, execution_id{1'003}});
    CHECK(queue.take(now + 99ms, 1'000).empty());
    CHECK(queue.next() == now + due_queue::span);
    queue.put(late, now + 50ms, execution_id{1'004});
    CHECK(queue.take(now + 99ms, 1'000) == std::vector{execution_id{1'004}});
    CHECK(queue.take(now + due_queue::span, 1'000).size() == due_queue::caught_up_in_span);
    CHECK(queue.take(now + 2 * due_queue::span, 1'000).size() == 50);
    CHECK(queue.next() == std::nullopt);
}

TEST_CASE("what is due at once is not caught up")
{
    due_queue queue;
    due_queue::line line;
    auto const now = at + due_queue::caught_up_after + 1ms;
    herd(queue, line, at, 1, 300);
    herd(queue, line, utc_time{}, 1'001, 300);
    CHECK(queue.next() == utc_time{});
    auto const first = queue.take(now, 1'000);
    CHECK(first.size() == 300 + due_queue::caught_up_in_span);
    CHECK(std::count_if(first.begin(), first.end(), [](auto id) { return id.value() > 1'000; }) == 300);
}

TEST_CASE("of many that are caught up a hundredth of what is left is taken in a span, so that they are gone soon")
{
    due_queue queue;
    due_queue::line line;
    herd(queue, line, at, 1, 200'000);
    std::size_t taken = 0;
    auto now = at + due_queue::caught_up_after + 1ms;
    for (int spans = 0; spans < 300; ++spans, now += due_queue::span)
        taken += queue.take(now, 200'000).size();
    CHECK(taken > 180'000);
    CHECK(taken < 200'000);
}

TEST_CASE("what is caught up is taken again at once when the clock has stepped back")
{
    due_queue queue;
    due_queue::line late;
    auto const now = at + due_queue::caught_up_after + 1ms;
    herd(queue, late, at, 1, 300);
    CHECK(queue.take(now + 1h, 1'000).size() == due_queue::caught_up_in_span);
    queue.put(late, at, execution_id{301});
    CHECK(queue.take(now, 1'000).size() == due_queue::caught_up_in_span);
}

TEST_CASE("an execution that falls due behind a herd of another service is taken at once")
{
    due_queue queue;
    due_queue::line crowded, other;
    herd(queue, crowded, at, 1, 100'000);
    CHECK(queue.take(at, 1'000).size() == 1'000);
    queue.put(other, at + 1ms, execution_id{200'000});
    auto const next = queue.take(at + 1ms, 1'000);
    CHECK(next.size() == 1'000);
    CHECK(std::count(next.begin(), next.end(), execution_id{200'000}) == 1);
}

TEST_CASE("services that are due in the same millisecond take turns")
{
    due_queue queue;
    std::vector<due_queue::line> lines(3);
    for (std::int64_t i = 0; i < 3; ++i)
        herd(queue, lines[static_cast<std::size_t>(i)], at, 10'000 * i + 1, 1'000);
    auto const first = queue.take(at, 3 * due_queue::quantum);
    for (std::int64_t i = 0; i < 3; ++i)
        CHECK(std::count_if(first.begin(), first.end(), [i](auto id) { return id.value() / 10'000 == i; }) ==
              static_cast<std::ptrdiff_t>(due_queue::quantum));
}

TEST_CASE("what is put earlier while a service has its turn comes first, and what is not due any more waits")
{
    due_queue queue;
    due_queue::line line, other;
    herd(queue, line, at + 5ms, 1, 200);
    queue.put(other, at + 9ms, execution_id{500});
    CHECK(queue.take(at + 5ms, 50).size() == 50);
    queue.put(line, at, execution_id{300});
    CHECK(queue.take(at, 50) == std::vector{execution_id{300}}); // the limit of an earlier time holds
    CHECK(queue.next() == at + 5ms);
    CHECK(queue.take(at + 5ms, 500).size() == 150);
    CHECK(queue.next() == at + 9ms);
    CHECK(queue.take(at + 9ms, 500) == std::vector{execution_id{500}});
}
