#include "trigger/master/assignment_rules.hpp"

#include <catch2/catch.hpp>

namespace assignment_rules_test {

using namespace baton;
using namespace baton::trigger;

namespace {
constexpr instant now{100s};
constexpr utc_time clock_now{1'000s};
using ends = std::vector<std::size_t>;
}

TEST_CASE("work goes elsewhere only while the node that was asked certainly does not have it")
{
    CHECK(end_of(200, false) == assignment_end::taken);
    CHECK(end_of(200, true) == assignment_end::passed_on);
    for (auto const status : {std::optional<int>(), std::optional<int>(409), std::optional<int>(503)}) {
        CHECK(end_of(status, false) == assignment_end::elsewhere);
        CHECK(end_of(status, true) == assignment_end::repeat);
    }
}

TEST_CASE("groups are bounded by number and by bytes, and a single execution may be larger")
{
    CHECK(cut({}, 3, 100).empty());
    CHECK(cut({1, 1, 1}, 3, 100) == ends{3});
    CHECK(cut({1, 1, 1, 1}, 3, 100) == ends{3, 4});
    CHECK(cut({60, 40, 1}, 3, 100) == ends{2, 3});
    CHECK(cut({500, 500}, 3, 100) == ends{1, 2});
    CHECK(cut({1, 500, 1}, 3, 100) == ends{1, 2, 3});
}

TEST_CASE("the assigner looks again when the next execution is due, and after a second at the latest")
{
    firing_times times{{}, clock_now + 10s, clock_now + 10s, {}};
    CHECK(look_after(times, now, clock_now).at == now + 1s);
    times.next_due = clock_now + 30ms;
    CHECK(look_after(times, now, clock_now).at == now + 30ms);
    times.next_due = clock_now + 5s;
    CHECK(look_after(times, now, clock_now).at == now + 1s);
    times.unblocked = now + 20ms;
    CHECK(look_after(times, now, clock_now).at == now + 20ms);
}

TEST_CASE("an execution due after the mark asks for a later mark, and does not keep the assigner awake")
{
    firing_times const times{clock_now + 30ms, clock_now + 20ms, clock_now + 10s, {}};
    auto const look = look_after(times, now, clock_now);
    CHECK(look.wants_mark);
    CHECK(look.at == now + 1s);
}

TEST_CASE("an execution due after the time up to which the signals are known waits for their next reading")
{
    firing_times const times{clock_now + 30ms, clock_now + 10s, clock_now + 20ms, {}};
    auto const look = look_after(times, now, clock_now);
    CHECK_FALSE(look.wants_mark);
    CHECK(look.at == now + 1s);
}

TEST_CASE("an execution that is past due is looked at now")
{
    firing_times const times{clock_now - 5ms, clock_now + 10s, clock_now + 10s, {}};
    CHECK(look_after(times, now, clock_now).at <= now);
}

} // namespace assignment_rules_test
