#include "libs/base/error.hpp"
#include "libs/protocol/json_text.hpp"
#include "libs/protocol/outcome.hpp"

#include <catch2/catch.hpp>

namespace outcome_test {

using namespace baton;
using namespace baton::protocol;

TEST_CASE("states and causes have one text each", "[protocol]")
{
    for (auto const which : {state::planned, state::running, state::retrying, state::succeeded, state::failed,
                             state::timed_out, state::cancelled})
        CHECK(parse<state>(to_string(which), "state") == which);
    for (auto const which : {cause::schedule, cause::manual, cause::shard, cause::rerun, cause::forced})
        CHECK(parse<cause>(to_string(which), "cause") == which);
    CHECK_THROWS_WITH(parse<cause>("Shard", "cause"),
                      "cause must be one of schedule, manual, shard, rerun, forced, not 'Shard'");
    CHECK_THROWS_AS(parse<state>("Planned", "state"), invalid_input);
    CHECK_THROWS_AS(parse<cause>("", "cause"), invalid_input);
    CHECK(to_string(attempt_cause::client_gone) == "client_gone");
    CHECK(replaces_lost(attempt_cause::take_over));
    CHECK_FALSE(replaces_lost(attempt_cause::retry));
    CHECK_FALSE(replaces_lost(attempt_cause::interrupted));
    CHECK(is_additional(attempt_cause::interrupted));
    CHECK_FALSE(is_additional(attempt_cause::retry));
    CHECK(follows_result(attempt_cause::interrupted));
    CHECK_FALSE(follows_result(attempt_cause::client_gone));
}

TEST_CASE("four states are final", "[protocol]")
{
    for (auto const which : {state::planned, state::running, state::retrying})
        CHECK_FALSE(is_final(which));
    for (auto const which : {state::succeeded, state::failed, state::timed_out, state::cancelled})
        CHECK(is_final(which));
}

TEST_CASE("a failure or timeout is retried while attempts are left, and ends as cancelled after a request to cancel",
          "[protocol]")
{
    for (auto const ended : {state::failed, state::timed_out}) {
        CHECK(after_attempt(ended, 1, 3, false) == state::retrying);
        CHECK(after_attempt(ended, 2, 3, false) == state::retrying);
        CHECK(after_attempt(ended, 3, 3, false) == ended);
        CHECK(after_attempt(ended, 1, 3, true) == state::cancelled);
        CHECK(after_attempt(ended, 3, 3, true) == state::cancelled);
    }
    CHECK(after_attempt(state::failed, 1, attempts_allowed(true, 1, 3), false) == state::failed);
    CHECK(after_attempt(state::failed, 1, attempts_allowed(false, 1, 3), false) == state::retrying);
    CHECK(after_attempt(state::succeeded, 1, 3, false) == state::succeeded);
    CHECK(after_attempt(state::succeeded, 1, 3, true) == state::succeeded);
    CHECK(after_attempt(state::cancelled, 1, 3, false) == state::cancelled);
}

TEST_CASE("the pause after a client's death grows, and an execution fails when its deaths reach the limit",
          "[protocol]")
{
    CHECK(pause_after_deaths(1, 3) == 1s);
    CHECK(pause_after_deaths(2, 3) == 2s);
    CHECK_FALSE(pause_after_deaths(3, 3));
    CHECK_FALSE(pause_after_deaths(1, 1));
    CHECK(pause_after_deaths(6, 1'000) == 32s);
    CHECK(pause_after_deaths(7, 1'000) == 60s);
    CHECK(pause_after_deaths(999, 1'000) == 60s);
    CHECK(reason_of_deaths(1) == "its client died once while it may have been running");
    CHECK(reason_of_deaths(3) == "its client died 3 times while it may have been running");
    CHECK_FALSE(last_before_failing(0, 1));
    CHECK_FALSE(last_before_failing(1, 3));
    CHECK(last_before_failing(1, 2));
    CHECK(last_before_failing(2, 3));
}

TEST_CASE("a value that the JSON parser discarded becomes null, so that the message around it stays JSON", "[protocol]")
{
    auto const discarded = nlohmann::json::parse("{", nullptr, false);
    CHECK(json_text(discarded).view() == "null");
    CHECK(json_text(nlohmann::json{{"inner", discarded}}).view() == "null");
    CHECK(json_text(nlohmann::json{{"a", 1}}).view() == R"({"a":1})");
}

} // namespace outcome_test
