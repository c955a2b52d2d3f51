#include "trigger/election/succession.hpp"

#include <catch2/catch.hpp>

namespace succession_test {

using namespace baton;
using namespace baton::trigger;

namespace {

constexpr instant read_at{100s};

lease::lease_row renewed_two_seconds_ago()
{
    lease::lease_row row;
    row.owner = "trigger-2";
    row.epoch = 7;
    row.age = 2s;
    return row;
}

} // namespace

TEST_CASE("a seizure of a held lease names whom it replaces, and when that node last renewed it")
{
    auto const by = succession_to(renewed_two_seconds_ago(), read_at);
    CHECK(by.how == succession::way::expired);
    CHECK(by.replaced == "trigger-2");
    CHECK(by.led_until == read_at - 2s);
    CHECK_FALSE(by.first);
}

TEST_CASE("a seizure of a free lease replaces nobody")
{
    auto row = renewed_two_seconds_ago();
    row.owner.reset();
    auto const by = succession_to(row, read_at);
    CHECK(by.how == succession::way::free);
    CHECK(by.replaced.empty());
}

TEST_CASE("the seizure of a row that no node has held is the first")
{
    lease::lease_row row;
    row.epoch = 1;
    CHECK(succession_to(row, read_at).first);
}

TEST_CASE("after the clock stepped back, a term that was renewed in its future ended when the row was read")
{
    auto row = renewed_two_seconds_ago();
    row.age = -100ms;
    CHECK(succession_to(row, read_at).led_until == read_at);
}

TEST_CASE("the end of a term whose last renewal has no known time is unknown")
{
    auto row = renewed_two_seconds_ago();
    row.dated = false;
    CHECK(succession_to(row, read_at).led_until == instant{});
}

TEST_CASE("a term that a node finds in the row was won by the guard if the guard's session stands in the row")
{
    auto row = renewed_two_seconds_ago();
    CHECK(succession_of_term_found(row).how == succession::way::expired);
    row.guard_conn = 12;
    CHECK(succession_of_term_found(row).how == succession::way::guard);
}

} // namespace succession_test
