#include "web/events/event_pace.hpp"

#include <catch2/catch.hpp>

namespace event_pace_test {

using namespace baton;
using baton::web::event_pace;

TEST_CASE("few pages are told at each look, and many pages together not more often than 40 times a second")
{
    event_pace pace;
    instant const begin{1h};
    CHECK(pace.may_tell(begin, 40));
    CHECK(pace.may_tell(begin + 1s, 40));
    CHECK_FALSE(pace.may_tell(begin + 2s, 200));
    CHECK_FALSE(pace.may_tell(begin + 5s, 200));
    CHECK(pace.may_tell(begin + 6s, 200));
    CHECK_FALSE(pace.may_tell(begin + 7s, 200));
    CHECK(pace.may_tell(begin + 8s, 80));
}

} // namespace event_pace_test
