#include "trigger/delivery/assignment_window.hpp"

#include <catch2/catch.hpp>

namespace assignment_window_test {

using namespace baton::trigger;

TEST_CASE("an assignment counts once, even if it comes several times")
{
    assignment_window in;
    CHECK(in.take(1, {}));
    CHECK_FALSE(in.take(1, {}));
    CHECK(in.take(2, {1}));
    CHECK_FALSE(in.take(1, {}));
    CHECK_FALSE(in.take(2, {1}));
    CHECK(in.settled() == 3);
}

TEST_CASE("an overtaken assignment counts while its sender waits for it")
{
    assignment_window in;
    CHECK(in.take(3, {1, 2}));
    CHECK(in.settled() == 1);
    CHECK(in.take(2, {1}));
    CHECK(in.settled() == 1);
    CHECK(in.take(1, {}));
    CHECK_FALSE(in.take(1, {}));
    CHECK(in.settled() == 4);
}

TEST_CASE("an assignment that its sender gave up does not count after a later one says so")
{
    assignment_window in;
    CHECK(in.take(2, {1}));
    CHECK(in.take(3, {2}));
    CHECK_FALSE(in.take(1, {}));
    CHECK(in.settled() == 4);
    CHECK(in.take(7, {4, 6}));
    CHECK_FALSE(in.take(5, {}));
    CHECK(in.take(6, {}));
    CHECK(in.settled() == 4);
    CHECK(in.take(8, {}));
    CHECK_FALSE(in.take(4, {}));
    CHECK(in.settled() == 9);
}

} // namespace assignment_window_test
