#include "libs/base/error.hpp"
#include "libs/schedule/misfire.hpp"

#include <catch2/catch.hpp>

#include <random>

namespace misfire_test {
namespace {

using namespace baton;
using namespace baton::schedule;
using protocol::misfire_action;
using protocol::misfire_policy;

auto const noon = from_rfc3339("2026-06-01T12:00:00Z");

timetable every(duration period)
{
    protocol::schedule_spec spec;
    spec.kind = protocol::schedule_kind::fixed_rate;
    spec.every = period;
    spec.start_at = noon;
    return timetable(spec, noon);
}

misfire_policy all(int limit, duration within = 0s)
{
    return {misfire_action::fire_all, 60s, limit, within};
}

late_firings divided(misfire_policy const& policy, duration period, duration late)
{
    return divide_late(every(period), policy, {noon, noon + late, noon + late + 1h});
}

// The definition, one firing at a time.
bool skipped_by_definition(misfire_policy const& policy, std::vector<utc_time> const& due, std::size_t at, utc_time now)
{
    auto const age = now - due[at];
    if (age <= policy.after)
        return false;
    auto const later = due.size() - 1 - at;
    switch (policy.action) {
    case misfire_action::fire_once:
        return later > 0;
    case misfire_action::fire_all:
        return later >= static_cast<std::size_t>(policy.limit) || (policy.within > 0s && age > policy.within);
    case misfire_action::skip:
        break;
    }
    return true;
}

} // namespace

TEST_CASE("after a night, a task that fires every minute runs once")
{
    auto const found = divided({}, 1min, 8h + 30s);
    CHECK(found.skipped.size() == 480);
    CHECK(found.due == std::vector{noon + 8h});
    CHECK_FALSE(found.rest);
}

TEST_CASE("a late firing runs if no later one is due")
{
    auto const found = divided({}, 24h, 8h);
    CHECK(found.skipped.empty());
    CHECK(found.due == std::vector{noon});
}

TEST_CASE("a fault of seconds skips nothing")
{
    auto const found = divided({}, 1s, 60s);
    CHECK(found.skipped.empty());
    CHECK(found.due.size() == 61);
}

TEST_CASE("a firing is late from the first instant after the span that the policy names")
{
    CHECK_FALSE(is_late({}, noon, noon + 60s));
    CHECK(is_late({}, noon, noon + 60s + tick));
}

TEST_CASE("the policy skip leaves out all late firings and no other")
{
    auto const found = divided({misfire_action::skip}, 30s, 5min);
    CHECK(found.skipped.size() == 8); // 12:00:00 to 12:03:30
    CHECK(found.due == std::vector{noon + 4min, noon + 4min + 30s, noon + 5min});
}

TEST_CASE("the policy fire_all runs the latest firings up to its limit, and only those of its last span")
{
    CHECK(divided(all(100), 1min, 1h).skipped.empty());
    auto const limited = divided(all(10), 1min, 1h);
    CHECK(limited.due.size() == 10);
    CHECK(limited.due.front() == noon + 51min);
    auto const recent = divided(all(100, 20min), 1min, 1h);
    CHECK(recent.due.front() == noon + 40min);
    CHECK(recent.skipped.back() == noon + 39min);
}

TEST_CASE("what is skipped and what runs agrees with the definition for every policy, and nothing is lost")
{
    auto const seed = Catch::rngSeed();
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    auto const draw = [&](int least, int most) { return std::uniform_int_distribution(least, most)(random); };
    for (int round = 0; round < 300; ++round) {
        misfire_policy policy;
        policy.action = static_cast<misfire_action>(draw(0, 2));
        policy.after = std::chrono::seconds(draw(0, 300));
        policy.limit = draw(1, 50);
        policy.within = draw(0, 1) == 0 ? duration{} : std::chrono::seconds(draw(1, 3'000));
        auto const times = every(std::chrono::milliseconds(draw(100, 100'000)));
        auto const now = noon + std::chrono::milliseconds(draw(0, 3'000'000));
        std::vector<utc_time> skipped;
        std::vector<utc_time> runs;
        std::optional<utc_time> cursor = noon;
        while (cursor) {
            auto const part = divide_late(times, policy, {*cursor, now, now + tick});
            skipped.insert(skipped.end(), part.skipped.begin(), part.skipped.end());
            runs.insert(runs.end(), part.due.begin(), part.due.end());
            cursor = part.rest;
        }
        auto const due = times.between(noon, now + tick, 1'000'000);
        std::vector<utc_time> expected;
        for (std::size_t i = 0; i < due.size(); ++i)
            if (!skipped_by_definition(policy, due, i, now))
                expected.push_back(due[i]);
        CHECK(runs == expected);
        CHECK(skipped.size() + runs.size() == due.size());
    }
}

TEST_CASE("the reason of a skipped firing says how late it was, and the policy")
{
    CHECK(reason_of_skip({}) == "over 60 s late; misfire policy fire_once: a later firing runs instead");
    CHECK(reason_of_skip({misfire_action::skip, 1'500ms}) == "over 1500 ms late; misfire policy skip");
    CHECK(reason_of_skip(all(4, 1h)) ==
          "over 60 s late; misfire policy fire_all: only the latest 4 run, of the last 3600 s");
}

TEST_CASE("a misfire policy is read strictly, and errors name the member")
{
    auto const parsed = [](char const* text) { return protocol::parse_misfire(nlohmann::json::parse(text)); };
    CHECK(parsed("{}") == misfire_policy{});
    CHECK(parsed(R"({"action": "skip", "after_ms": 5000})") == misfire_policy{misfire_action::skip, 5s});
    CHECK(parsed(R"({"action": "fire_all", "limit": 7, "within_ms": 1000})") == all(7, 1s));
    CHECK(protocol::parse_misfire(to_json(all(7, 1s))) == all(7, 1s));
    for (auto const* wrong : {R"({"action": "later"})", R"({"after_ms": -1})", R"({"after_ms": 86400001})",
                              R"({"limit": 3})", R"({"action": "fire_all", "limit": 0})",
                              R"({"action": "fire_all", "limit": 1001})", R"({"action": "skip", "within_ms": 1})"})
        CHECK_THROWS_AS(parsed(wrong), invalid_input);
}

} // namespace misfire_test
