#include "libs/base/error.hpp"
#include "libs/protocol/field_examples.hpp"
#include "libs/protocol/named_calendar.hpp"
#include "libs/protocol/service_settings.hpp"
#include "libs/protocol/task.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace field_examples_test {

using namespace baton;
using namespace baton::protocol;
using nlohmann::json;

namespace {

json task_with(json const& members)
{
    json task{{"name", "close-day"}, {"service", "billing"}, {"handler", "close_day"}, {"schedule", {{"kind", "api"}}}};
    task.update(members);
    return task;
}

json schedule_with(json const& members)
{
    json schedule{{"kind", "cron"}, {"cron", "0 2 * * *"}};
    schedule.update(members);
    return task_with({{"schedule", schedule}});
}

std::string refusal_of(json const& task)
{
    try {
        parse_task(task);
    } catch (invalid_input const& wrong) {
        return wrong.what();
    }
    return "none";
}

// The keys that the sources in a folder read from what people write.
void add_keys(std::filesystem::path const& folder, std::set<std::string>& keys)
{
    static std::regex const read(R"re(object\.(?:text|need_text|number|millis|flag|texts|need)\("(\w+)")re");
    for (auto const& file : std::filesystem::directory_iterator(folder)) {
        if (file.path().extension() != ".cpp")
            continue;
        std::ostringstream all;
        all << std::ifstream(file.path()).rdbuf();
        auto const source = all.str();
        for (std::sregex_iterator found(source.begin(), source.end(), read), end; found != end; ++found)
            keys.insert((*found)[1]);
    }
}

} // namespace

TEST_CASE("a value of a wrong type is refused with an example of its field", "[protocol]")
{
    std::vector<std::pair<json, std::string>> const cases{
        {task_with({{"timeout_ms", "soon"}}), R"(timeout_ms must be a whole number from 0 to 31622400000)"
                                              R"(; write for example "timeout_ms": 30000)"},
        {task_with({{"enabled", 1}}), R"(enabled must be true or false; write for example "enabled": true)"},
        {task_with({{"name", 7}}), R"(name must be a string; write for example "name": "close-day")"},
        {task_with({{"name", ""}}), R"(name must not be empty; write for example "name": "close-day")"},
        {task_with({{"project", ""}}), R"(project must not be empty; write for example "project": "shop")"},
        {task_with({{"schedule", "daily"}}),
         R"(schedule must be a JSON object)"
         R"(; write for example "schedule": {"kind": "cron", "cron": "0 2 * * 1-5"})"},
        {task_with({{"schedule", {{"kind", "fixed_rate"}}}}),
         R"(schedule.every_ms is required; write for example "every_ms": 900000)"},
        {task_with({{"limits", 60}}),
         R"(limits must be a JSON object; write for example "limits": {"total_ms": 3600000})"},
        {task_with({{"misfire", {{"action", "fire_all"}, {"limit", "all"}}}}),
         R"(misfire.limit must be a whole number from 1 to 1000; write for example "limit": 100)"},
        {task_with({{"rate", {{"limit", "all"}}}}),
         R"(rate.limit must be a whole number from 0 to 1000000; write for example "limit": 100)"},
        {task_with({{"retry", {{"final_errors", "bad_input"}}}}),
         R"(retry.final_errors must be a list of at most 32 texts; write for example "final_errors": ["bad_input"])"},
        {task_with({{"labels", {{"team", 7}}}}),
         R"(labels.team must be a string; write for example "labels": {"team": "billing"})"},
        {schedule_with({{"zone", 1}}), R"(schedule.zone must be a string; write for example "zone": "Europe/Berlin")"},
        {json::array(), R"(the document must be a JSON object; write for example {"name": "close-day", )"
                        R"("service": "billing", "handler": "close_day", )"
                        R"("schedule": {"kind": "cron", "cron": "0 2 * * 1-5"}})"}};
    for (auto const& [task, expected] : cases)
        CHECK_THAT(refusal_of(task), Catch::EndsWith(expected));
    CHECK_THROWS_WITH(patch_task(parse_task(task_with(json::object())), 5),
                      Catch::EndsWith(R"(write for example {"priority": 5})"));
}

TEST_CASE("an example of a number lies within its bounds", "[protocol]")
{
    CHECK(example_of("schedule.every_ms", 100, 1'000'000) == R"("every_ms": 900000)");
    CHECK(example_of("schedule.every_ms", 100, 1'000) == R"("every_ms": 100)");
    CHECK(example_of("of_no_document", -3, 5) == R"("of_no_document": -3)");
}

TEST_CASE("each field that people write has an example", "[protocol]")
{
    std::set<std::string> keys;
    for (auto const* folder : {"libs/protocol", "web", "web/api"})
        add_keys(std::filesystem::path(BATON_SOURCE_DIR) / folder, keys);
    CHECK(keys.size() > 60);
    for (auto const* const of_programs : {"after", "version"}) // a place in a list, and what the server writes
        keys.erase(of_programs);
    for (auto const& key : keys)
        CHECK_FALSE((key + example_of(key)) == key);
}

TEST_CASE("the examples of a task's fields are accepted", "[protocol]")
{
    auto const with_example = [](std::string const& path) { return json::parse("{" + example_of(path) + "}"); };
    for (auto const* field :
         {"project",    "name",          "description",  "owner",          "labels",      "service",
          "handler",    "payload",       "schedule",     "misfire",        "concurrency", "rate",
          "priority",   "routing",       "max_attempts", "retry_delay_ms", "retry",       "max_deaths",
          "timeout_ms", "stop_grace_ms", "limits",       "context",        "enabled"}) {
        INFO(field);
        CHECK_NOTHROW(parse_task(task_with(with_example(field))));
    }
    for (auto const* field : {"cron", "gap", "overlap", "hash_seed", "zone", "start_at", "end_at", "max_firings",
                              "jitter_ms", "jitter_seed", "calendars"}) {
        INFO(field);
        CHECK_NOTHROW(parse_task(schedule_with(with_example(std::string("schedule.") + field))));
    }
    json monthly{{"kind", "calendar"}};
    for (auto const* field : {"every", "unit", "on", "time", "roll"})
        monthly.update(with_example(std::string("schedule.") + field));
    CHECK_NOTHROW(parse_task(task_with({{"schedule", monthly}})));
    json window{{"kind", "window"}};
    for (auto const* field : {"every_ms", "from", "to", "days"})
        window.update(with_example(std::string("schedule.") + field));
    CHECK_NOTHROW(parse_task(task_with({{"schedule", window}})));
    json after{{"kind", "after"}};
    after.update(with_example("schedule.task"));
    CHECK_NOTHROW(parse_task(task_with({{"schedule", after}})));
    json calendar{{"name", "holidays"}};
    for (auto const* field : {"zone", "dates", "yearly", "weekly"})
        calendar.update(with_example(field));
    CHECK_NOTHROW(parse_calendar_definition(calendar));
    json const settings{
        {"limits", json::parse("{" + example_of("limits.concurrency") + "," + example_of("limits.rate") + "}")}};
    CHECK_NOTHROW(parse_service_settings(settings));
    CHECK_NOTHROW(parse_service_settings(with_example("defaults")));
}

TEST_CASE("a word that no choice is as long as is refused with the choices")
{
    auto const by_calendar = [](json const& members) {
        json schedule{{"kind", "calendar"}, {"every", 1}, {"unit", "months"}, {"time", "02:00"}, {"on", 15}};
        schedule.update(members);
        return refusal_of(task_with({{"schedule", schedule}}));
    };
    CHECK(by_calendar({{"unit", "fortnights"}}) ==
          "schedule.unit must be one of days, weeks, months, years, not 'fortnights'");
    CHECK(by_calendar({{"time", "02:00:00.5"}}).starts_with("schedule.time must be a time of the day"));
}

} // namespace field_examples_test
