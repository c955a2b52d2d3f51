#include "libs/protocol/field_examples.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace baton::protocol {

namespace {

struct field_example {
    std::string_view path;  // or its end, which stands for all paths that end with it and are not named here
    std::string_view value; // JSON
};

constexpr std::array field_values{
    field_example{"action", R"("fire_once")"},
    field_example{"after_ms", "60000"},
    field_example{"all", "true"},
    field_example{"at", R"("2031-12-24T18:00:00Z")"},
    field_example{"backoff", R"("exponential")"},
    field_example{"before", R"("2026-03-29T01:30:00Z")"},
    field_example{"broadcast", R"("4711")"},
    field_example{"burst", "20"},
    field_example{"by", R"("ann")"},
    field_example{"calendars", R"([{"name": "holidays"}])"},
    field_example{"concurrency", R"({"limit": 1})"},
    field_example{"context", R"(["previous"])"},
    field_example{"count", "3"},
    field_example{"cron", R"("0 2 * * 1-5")"},
    field_example{"dates", R"(["2026-12-24"])"},
    field_example{"days", R"(["mon", "fri"])"},
    field_example{"defaults", R"({"max_attempts": 3})"},
    field_example{"description", R"("closes the books of a day")"},
    field_example{"dialect", R"("quartz")"},
    field_example{"enabled", "true"},
    field_example{"end_at", R"("2031-08-01T00:00:00Z")"},
    field_example{"ends", R"("any")"},
    field_example{"error", R"("no such account")"},
    field_example{"every", "3"},
    field_example{"every_ms", "900000"},
    field_example{"executions", R"(["4711"])"},
    field_example{"expected", R"("2031-12-24T18:00:00Z")"},
    field_example{"final_errors", R"(["bad_input"])"},
    field_example{"firings", R"("skip")"},
    field_example{"force", "true"},
    field_example{"from", R"("09:00")"},
    field_example{"gap", R"("shift")"},
    field_example{"handler", R"("close_day")"},
    field_example{"hash_seed", "42"},
    field_example{"in_ms", "7200000"},
    field_example{"instance", R"("build-7")"},
    field_example{"jitter_ms", "300000"},
    field_example{"jitter_percent", "20"},
    field_example{"jitter_seed", "42"},
    field_example{"key", R"("/customer")"},
    field_example{"kind", R"("cron")"},
    field_example{"labels", R"({"team": "billing"})"},
    field_example{"late_start", R"("fail")"},
    field_example{"limit", "1"},
    field_example{"limits", R"({"total_ms": 3600000})"},
    field_example{"limits.concurrency", "20"},
    field_example{"limits.rate", R"({"limit": 100, "per_ms": 60000})"},
    field_example{"longest_ms", "600000"},
    field_example{"max_attempts", "3"},
    field_example{"max_deaths", "2"},
    field_example{"max_firings", "10"},
    field_example{"misfire", R"({"action": "fire_once"})"},
    field_example{"misfire.limit", "100"},
    field_example{"mode", R"("exclude")"},
    field_example{"name", R"("close-day")"},
    field_example{"on", R"("15")"},
    field_example{"overlap", R"("first")"},
    field_example{"owner", R"("billing")"},
    field_example{"payload", R"({"day": "today"})"},
    field_example{"per_ms", "60000"},
    field_example{"priority", "5"},
    field_example{"project", R"("shop")"},
    field_example{"queue", "1"},
    field_example{"rate", R"({"limit": 100, "per_ms": 60000})"},
    field_example{"rate.limit", "100"},
    field_example{"reason", R"("deployment of 2.0")"},
    field_example{"retry", R"({"backoff": "exponential"})"},
    field_example{"retry.on", R"("other")"},
    field_example{"retry_delay_ms", "5000"},
    field_example{"roll", R"("next_business_day")"},
    field_example{"route", R"({"tag": "gpu"})"},
    field_example{"routing", R"("round_robin")"},
    field_example{"schedule", R"({"kind": "cron", "cron": "0 2 * * 1-5"})"},
    field_example{"schedule.task", R"("extract")"},
    field_example{"service", R"("billing")"},
    field_example{"shards", "16"},
    field_example{"start_at", R"("2031-07-01T00:00:00Z")"},
    field_example{"start_within_ms", "600000"},
    field_example{"stop_grace_ms", "30000"},
    field_example{"tag", R"("gpu")"},
    field_example{"task", R"("4711")"},
    field_example{"time", R"("18:00")"},
    field_example{"timeout_ms", "30000"},
    field_example{"to", R"("17:30")"},
    field_example{"total_ms", "3600000"},
    field_example{"unit", R"("months")"},
    field_example{"until", R"("17:30")"},
    field_example{"weekly", R"([{"days": ["sat", "sun"]}])"},
    field_example{"when_full", R"("skip")"},
    field_example{"within_ms", "3600000"},
    field_example{"yearly", R"(["12-24"])"},
    field_example{"zone", R"("Europe/Berlin")"},
};

std::string_view without_first(std::string_view path)
{
    auto const dot = path.find('.');
    return dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
}

std::string_view value_of(std::string_view path)
{
    for (; !path.empty(); path = without_first(path))
        if (auto const found = std::ranges::find(field_values, path, &field_example::path); found != field_values.end())
            return found->value;
    return {};
}

std::string member(std::string_view path, std::string_view value)
{
    return '"' + std::string(path.substr(path.rfind('.') + 1)) + "\": " + std::string(value);
}

} // namespace

std::string example_of(std::string_view path)
{
    auto const value = value_of(path);
    return value.empty() ? std::string{} : member(path, value);
}

std::string example_of(std::string_view path, std::int64_t least, std::int64_t most)
{
    auto const known = nlohmann::json::parse(value_of(path), nullptr, false);
    auto const value = known.is_number_integer() ? known.get<std::int64_t>() : least;
    return member(path, std::to_string(value >= least && value <= most ? value : least));
}

} // namespace baton::protocol
