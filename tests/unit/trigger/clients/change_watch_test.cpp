#include "trigger/clients/change_watch.hpp"

#include <catch2/catch.hpp>

namespace change_watch_test {

using namespace baton;
using namespace baton::trigger;

namespace {
utc_time const noon = from_micros(1'000'000'000);
instant const asked{100s};
}

TEST_CASE("without notes the table must be read")
{
    change_watch changes;
    CHECK_FALSE(changes.begun());
    CHECK_FALSE(changes.note(noon - 1h, noon, asked)); // what is there has not been read
    CHECK_FALSE(changes.unchanged(asked));
    changes.was_read(noon, asked);
    CHECK(changes.begun());
    CHECK_FALSE(changes.unchanged(asked));
}

TEST_CASE("a note that nothing has changed saves readings for three seconds")
{
    change_watch changes;
    changes.was_read(noon, asked);
    CHECK_FALSE(changes.note(noon - 1h, noon + 1s, asked + 1s));
    CHECK(changes.read_at() == asked + 1s);
    CHECK(changes.unchanged(asked + 3'900ms));
    CHECK_FALSE(changes.unchanged(asked + 4s));
}

TEST_CASE("the first change after a quiet time must be read at once, the next one need not")
{
    change_watch changes;
    changes.was_read(noon, asked);
    changes.note(noon - 1h, noon + 1s, asked + 1s);
    CHECK(changes.note(noon + 1s, noon + 2s, asked + 2s));
    CHECK_FALSE(changes.unchanged(asked + 2s));
    CHECK_FALSE(changes.note(noon + 2s, noon + 3s, asked + 3s));
}

TEST_CASE("a change within five seconds before the last reading may have been missed")
{
    change_watch changes;
    changes.was_read(noon, asked);
    CHECK(changes.from() == noon - 5s);
    changes.note(noon - 5s, noon + 1s, asked + 1s);
    CHECK_FALSE(changes.unchanged(asked + 1s));
}

TEST_CASE("a note under a clock that was set back says nothing")
{
    change_watch changes;
    changes.was_read(noon, asked);
    changes.note(noon - 1h, noon - 30min, asked + 1s);
    CHECK_FALSE(changes.unchanged(asked + 1s));
}

} // namespace change_watch_test
