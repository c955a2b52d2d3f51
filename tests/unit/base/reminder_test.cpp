#include "libs/base/reminder.hpp"

#include <catch2/catch.hpp>

namespace reminder_test {

using namespace baton;

TEST_CASE("a lasting failure is told at once, at each new reason, and once a minute")
{
    reminder told;
    instant const start{};
    CHECK(told.is_due("refused", start));
    CHECK_FALSE(told.is_due("refused", start + 59s));
    CHECK(told.is_due("refused", start + 60s));
    CHECK_FALSE(told.is_due("refused", start + 61s));
    CHECK(told.is_due("silent", start + 62s));
    CHECK_FALSE(told.is_due("silent", start + 121s));
    CHECK(told.is_due("silent", start + 122s));
}

TEST_CASE("a failure that was over is told again at once")
{
    reminder told;
    CHECK_FALSE(told.clear());
    CHECK(told.is_due("refused", instant{}));
    CHECK(told.clear());
    CHECK(told.is_due("refused", instant{}));
}

} // namespace reminder_test
