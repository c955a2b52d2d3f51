#include "libs/protocol/slowdown.hpp"

#include <catch2/catch.hpp>

namespace slowdown_test {

using namespace baton;
using namespace baton::protocol;

namespace {

// The newest first: `recent` ten times, then `before` as often as said.
std::vector<duration> times(duration recent, std::size_t count, duration before)
{
    std::vector<duration> all(10, recent);
    all.insert(all.end(), count, before);
    return all;
}

} // namespace

TEST_CASE("a task is slow whose last ten runs took twice as long as those before, and a second more")
{
    CHECK(summarise(times(4s, 50, 2s)).slow());
    CHECK_FALSE(summarise(times(3999ms, 50, 2s)).slow());
    CHECK(summarise(times(1100ms, 50, 100ms)).slow());
    CHECK_FALSE(summarise(times(1099ms, 50, 100ms)).slow()); // not a second more
    CHECK_FALSE(summarise(times(1s, 50, 2s)).slow());
}

TEST_CASE("few runs say nothing, and old ones count no more")
{
    CHECK_FALSE(summarise(std::vector<duration>(9, 4s)).recent);
    auto const few = summarise(times(9s, 9, 1s));
    CHECK(few.recent->median == 9s);
    CHECK_FALSE(few.earlier);
    CHECK_FALSE(few.slow());
    auto all = times(9s, 50, 1s);
    all.insert(all.end(), 100, 20s);
    auto const found = summarise(all);
    CHECK(found.earlier->runs == 50);
    CHECK(found.earlier->median == 1s);
    CHECK(found.slow());
}

TEST_CASE("some slow runs among the last ten make no slow task")
{
    auto all = times(1s, 50, 1s);
    for (std::size_t i = 0; i < 4; ++i)
        all[i * 2] = 60s;
    CHECK_FALSE(summarise(all).slow());
    all[9] = 60s;
    CHECK(summarise(all).slow());
}

} // namespace slowdown_test
