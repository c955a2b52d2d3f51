#include "trigger/master/gcra.hpp"

#include <catch2/catch.hpp>

namespace gcra_test {

using namespace baton;
using trigger::gcra;

namespace {

utc_time const noon = from_micros(1'700'000'000'000'000);

bool take(gcra& rate, utc_time now)
{
    auto const free = rate.free_at(0);
    if (!free || *free > now)
        return false;
    rate.take(now);
    return true;
}

// How many of a crowd that always wants more go on in this time, looking every `step`.
int taken_in(gcra& rate, duration span, duration step, duration late = 0us)
{
    int count = 0;
    for (auto at = noon; at < noon + span; at += step)
        while (take(rate, at + late))
            ++count;
    return count;
}

} // namespace

TEST_CASE("a rate without a limit always has a token")
{
    gcra rate;
    CHECK_FALSE(rate.limits());
    CHECK(*rate.free_at(1'000'000) <= noon);
    rate.take(noon);
    CHECK(*rate.free_at(0) <= noon);
}

TEST_CASE("a full rate gives its burst at once, and then a token in each interval")
{
    gcra rate({10, 1s, 3});
    for (int i = 0; i < 3; ++i)
        CHECK(take(rate, noon));
    CHECK_FALSE(take(rate, noon));
    CHECK(*rate.free_at(0) == noon + 100ms);
    CHECK_FALSE(take(rate, noon + 99ms));
    CHECK(take(rate, noon + 100ms));
    CHECK_FALSE(take(rate, noon + 100ms));
}

TEST_CASE("tokens that are promised are kept from others, and no more are promised than are kept")
{
    gcra rate({10, 1s, 3});
    CHECK(*rate.free_at(2) <= noon);
    CHECK_FALSE(rate.free_at(3));
    for (int i = 0; i < 3; ++i)
        rate.take(noon);
    CHECK(*rate.free_at(1) == noon + 200ms);
}

TEST_CASE("in no span more tokens are taken than the rate gives and its burst, and under load all of them are")
{
    auto const limit = GENERATE(7, 30, 1'000, 100'000);
    auto const burst = GENERATE(1, 5, 50);
    gcra rate({limit, 10s, burst});
    auto const count = taken_in(rate, 10s, 100us);
    CHECK(count <= limit + burst);
    CHECK(count >= limit + burst - 1);
}

TEST_CASE("a look that comes late loses nothing that the burst keeps")
{
    gcra rate({100, 1s, 51});
    CHECK(taken_in(rate, 10s, 200ms) >= 1'000);
}

TEST_CASE("an empty rate has its first token after an interval")
{
    gcra rate({2, 1s, 4});
    rate.empty_at(noon);
    CHECK(*rate.free_at(0) == noon + 500ms);
    CHECK(*rate.free_at(3) == noon + 2s);
    CHECK(rate.full_at() == noon + 2s);
    gcra again({2, 1s, 4});
    again.restore(rate.full_at());
    CHECK(*again.free_at(0) == noon + 500ms);
}

TEST_CASE("a change of the limit keeps the tokens that are there, as far as the new limit keeps so many")
{
    gcra rate({10, 1s, 5});
    for (int i = 0; i < 3; ++i)
        rate.take(noon);
    rate.change({1, 1s, 4}, noon);
    CHECK(*rate.free_at(1) <= noon);
    CHECK(*rate.free_at(2) == noon + 1s);
    rate.change({1, 60s, 1}, noon);
    CHECK(take(rate, noon));
    CHECK(*rate.free_at(0) == noon + 60s);
    rate.change({}, noon);
    CHECK_FALSE(rate.limits());
}

TEST_CASE("a change that leaves the interval as it is does not delay the next token")
{
    gcra rate({1, 1h, 2});
    rate.take(noon);
    rate.take(noon);
    rate.change({1, 1h, 2}, noon + 59min);
    CHECK(*rate.free_at(0) == noon + 1h);
    rate.change({1, 1h, 5}, noon + 59min);
    CHECK(*rate.free_at(0) == noon + 1h);
    CHECK(rate.full_at() == noon + 5h);
    rate.change({1, 1h, 1}, noon + 90min); // one token is there
    CHECK(*rate.free_at(0) <= noon + 90min);
}

TEST_CASE("a limit that is taken away and given again has the tokens that have come back by then")
{
    protocol::rate_limit const limit{10, 10s, 5};
    gcra rate(limit);
    CHECK(taken_in(rate, 1us, 1us) == 5);
    rate.change({}, noon + 1s);
    CHECK_FALSE(rate.limits());
    rate.change(limit, noon + 2s);
    CHECK(taken_in(rate, 1us, 1us, 2s) == 2);
}

TEST_CASE("a rate of a token in more than a second is slow")
{
    CHECK_FALSE(gcra({1, 1s, 1}).slow());
    CHECK(gcra({59, 60s, 1}).slow());
    CHECK_FALSE(gcra().slow());
}

TEST_CASE("the longest span and the largest burst do not overflow")
{
    gcra rate({1, protocol::longest_rate_span, 2'000'000});
    CHECK(take(rate, noon));
    rate.empty_at(noon);
    CHECK(*rate.free_at(0) >= noon);
    CHECK(*rate.free_at(1'000'000) > noon);
}

} // namespace gcra_test
