#include "trigger/master/fire_mark.hpp"

#include <catch2/catch.hpp>

namespace fire_mark_test {

using namespace baton;
using namespace baton::trigger;

TEST_CASE("a mark is written a second ahead when a firing is due within half a second that it does not reach beyond")
{
    auto const now = from_rfc3339("2026-03-01T00:00:00Z");
    CHECK(next_mark(now, utc_time{}, now) == now + 1s);
    CHECK(next_mark(now, now + 499ms, now + 500ms) == now + 1s);
    CHECK(next_mark(now, utc_time{}, now - 1h) == now + 1s);
    CHECK_FALSE(next_mark(now, utc_time{}, std::nullopt)); // nothing waits
    CHECK_FALSE(next_mark(now, utc_time{}, now + 501ms));  // not yet
    CHECK_FALSE(next_mark(now, now + 500ms, now + 100ms)); // covered
    CHECK_FALSE(next_mark(now, now + 24h, now));           // an earlier term's clock was ahead
}

TEST_CASE("a mark reaches further ahead than the readings of signals allow to fire, however long edit_lead is")
{
    auto const now = from_rfc3339("2026-03-01T00:00:00Z");
    CHECK(next_mark(now, utc_time{}, now + 1s, 4s) == now + 4s);
    CHECK_FALSE(next_mark(now, now + 2s, now + 1s, 4s));
}

} // namespace fire_mark_test
