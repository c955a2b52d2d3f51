#include "libs/base/error.hpp"
#include "libs/protocol/retry_policy.hpp"
#include "libs/protocol/task.hpp"

#include <catch2/catch.hpp>

#include <set>

namespace retry_policy_test {

using namespace baton;
using namespace baton::protocol;

namespace {

retry_policy exponential(duration longest, int jitter = 0)
{
    retry_policy policy;
    policy.backoff = backoff::exponential;
    policy.longest = longest;
    policy.jitter_percent = jitter;
    return policy;
}

duration pause(retry_policy const& policy, duration base, int failures, int execution = 7)
{
    return pause_before_retry(policy, base, {execution_id{execution}, failures, failures});
}

nlohmann::json task_with(nlohmann::json retry)
{
    return {{"name", "a"},
            {"service", "s"},
            {"handler", "h"},
            {"schedule", {{"kind", "api"}}},
            {"retry", std::move(retry)}};
}

} // namespace

TEST_CASE("a retry policy names the client of a further attempt", "[protocol]")
{
    CHECK(parse_task(task_with(nlohmann::json::object())).retry.on == retry_on::any);
    auto const other = parse_task(task_with({{"on", "other"}})).retry;
    CHECK(other.on == retry_on::other);
    CHECK(parse_retry(to_json(other)) == other);
    CHECK_THROWS_AS(parse_task(task_with({{"on", "elsewhere"}})), invalid_input);
}

TEST_CASE("a fixed pause is the task's retry_delay after each failure", "[protocol]")
{
    for (int const failures : {1, 2, 999})
        CHECK(pause({}, 5s, failures) == 5s);
    CHECK(pause({}, 0s, 3) == 0s);
}

TEST_CASE("an exponential pause doubles with each failure up to its longest", "[protocol]")
{
    auto const policy = exponential(60s);
    CHECK(pause(policy, 1s, 1) == 1s);
    CHECK(pause(policy, 1s, 2) == 2s);
    CHECK(pause(policy, 1s, 6) == 32s);
    CHECK(pause(policy, 1s, 7) == 60s);
    CHECK(pause(policy, 1s, 1'000) == 60s);
    CHECK(pause(policy, 90s, 1) == 60s);
    CHECK(pause(policy, 0s, 50) == 0s);
    CHECK(pause(exponential(longest_span), 1ms, 1'000) == longest_span);
}

TEST_CASE("jitter adds up to its share of the pause, and is the same for every master", "[protocol]")
{
    auto const policy = exponential(1h, 50);
    std::set<duration> drawn;
    for (int execution = 1; execution <= 200; ++execution) {
        auto const got = pause(policy, 10s, 1, execution);
        CHECK(got >= 10s);
        CHECK(got <= 15s);
        CHECK(got == pause(policy, 10s, 1, execution));
        drawn.insert(got);
    }
    CHECK(drawn.size() > 190);
    CHECK(*drawn.begin() < 10'500ms);
    CHECK(*drawn.rbegin() > 14'500ms);
}

TEST_CASE("the retry policy of a task is read strictly and shown whole", "[protocol]")
{
    CHECK(parse_task(task_with(nlohmann::json::object())).retry == retry_policy{});
    auto const read = parse_task(task_with(
        {{"backoff", "exponential"}, {"longest_ms", 5'000}, {"jitter_percent", 20}, {"final_errors", {"bad_input"}}}));
    CHECK(read.retry.longest == 5s);
    CHECK(read.retry.final_errors == std::vector<std::string>{"bad_input"});
    CHECK(parse_task(to_json(read)).retry == read.retry);
    CHECK(patch_task(read, {{"retry", nullptr}}).retry == retry_policy{});
    CHECK(patch_task(read, {{"retry", {{"jitter_percent", 1}}}}).retry.final_errors.empty());

    using Catch::Contains;
    CHECK_THROWS_WITH(parse_task(task_with({{"backoff", "linear"}})),
                      Contains("retry.backoff must be one of fixed, exponential, not 'linear'"));
    CHECK_THROWS_WITH(parse_task(task_with({{"longest_ms", 5'000}})),
                      Contains("retry.longest_ms is only for retry.backoff exponential"));
    CHECK_THROWS_WITH(parse_task(task_with({{"jitter_percent", 101}})),
                      Contains("retry.jitter_percent must be a whole number from 0 to 100"));
    CHECK_THROWS_WITH(parse_task(task_with({{"final_errors", "bad"}})),
                      Contains("retry.final_errors must be a list of at most 32 texts"));
    CHECK_THROWS_WITH(parse_task(task_with({{"final_errors", {""}}})),
                      Contains("retry.final_errors must list texts of 1 to 64 characters"));
    CHECK_THROWS_WITH(parse_task(task_with({{"final_errors", {"bad input"}}})),
                      Contains("must list names of letters, digits") && Contains("not 'bad input'"));
    CHECK_THROWS_WITH(
        patch_task(read, {{"retry", {{"backoff", nullptr}}}}),
        Contains("retry.backoff cannot be removed; leave it out, since a patch with retry keeps nothing"));
}

} // namespace retry_policy_test
