#include "libs/base/error.hpp"
#include "libs/protocol/outcome.hpp"

#include <catch2/catch.hpp>

using namespace baton;
using namespace baton::protocol;

TEST_CASE("states and causes have one text each", "[protocol]")
{
    for (auto const which : {state::planned, state::running, state::retrying, state::succeeded, state::failed,
                             state::timed_out, state::cancelled})
        CHECK(parse_state(to_string(which)) == which);
    for (auto const which : {cause::schedule, cause::manual, cause::shard})
        CHECK(parse_cause(to_string(which)) == which);
    CHECK_THROWS_AS(parse_state("Planned"), invalid_input);
    CHECK_THROWS_AS(parse_cause(""), invalid_input);
}

TEST_CASE("four states are final", "[protocol]")
{
    for (auto const which : {state::planned, state::running, state::retrying})
        CHECK_FALSE(is_final(which));
    for (auto const which : {state::succeeded, state::failed, state::timed_out, state::cancelled})
        CHECK(is_final(which));
}

TEST_CASE("failures and timeouts are tried again while attempts are left, and are cancelled if somebody asked for it",
          "[protocol]")
{
    for (auto const ended : {state::failed, state::timed_out}) {
        CHECK(after_attempt(ended, 1, 3, false) == state::retrying);
        CHECK(after_attempt(ended, 2, 3, false) == state::retrying);
        CHECK(after_attempt(ended, 3, 3, false) == ended);
        CHECK(after_attempt(ended, 1, 3, true) == state::cancelled);
        CHECK(after_attempt(ended, 3, 3, true) == state::cancelled);
    }
    CHECK(after_attempt(state::succeeded, 1, 3, false) == state::succeeded);
    CHECK(after_attempt(state::succeeded, 1, 3, true) == state::succeeded);
    CHECK(after_attempt(state::cancelled, 1, 3, false) == state::cancelled);
}
