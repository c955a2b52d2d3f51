#include "libs/base/error.hpp"
#include "libs/schedule/task_schedule.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace baton::schedule {

namespace {

utc_time at(char const* text)
{
    return from_rfc3339(text);
}

protocol::task_definition task(char const* schedule)
{
    return protocol::parse_task(
        {{"name", "t"}, {"service", "s"}, {"handler", "h"}, {"schedule", nlohmann::json::parse(schedule)}});
}

std::string wrong_field(protocol::task_definition const& definition)
{
    try {
        check_schedule(definition);
    } catch (invalid_input const& wrong) {
        return wrong.field();
    }
    return "none";
}

std::string wrong_field(char const* schedule)
{
    return wrong_field(task(schedule));
}

auto const created = at("2026-03-01T10:00:00.250000Z");

} // namespace

TEST_CASE("a firing at the very instant asked for counts as at or after it")
{
    auto const noon = at("2026-03-01T12:00:00Z");
    CHECK(first_firing(task(R"({"kind":"cron","cron":"0 12 * * *"})"), created, noon) == noon);
    CHECK(first_firing(task(R"({"kind":"cron","cron":"0 12 * * *"})"), created, noon + 1us) ==
          at("2026-03-02T12:00:00Z"));
    CHECK(first_firing(task(R"({"kind":"once","at":"2026-03-01T12:00:00Z"})"), created, noon) == noon);
    CHECK_FALSE(first_firing(task(R"({"kind":"once","at":"2026-03-01T12:00:00Z"})"), created, noon + 1us));
}

TEST_CASE("a fixed rate counts from its creation, or from start_at where there is one")
{
    auto const plain = task(R"({"kind":"fixed_rate","every_ms":1000})");
    CHECK(first_firing(plain, created, created) == created);
    CHECK(first_firing(plain, created, created + 1us) == created + 1s);
    auto const anchored = task(R"({"kind":"fixed_rate","every_ms":1000,"start_at":"2026-03-01T11:00:00Z"})");
    CHECK(first_firing(anchored, created, created) == at("2026-03-01T11:00:00Z"));
    CHECK(first_firing(anchored, created, at("2026-03-01T11:00:00.000001Z")) == at("2026-03-01T11:00:01Z"));
}

TEST_CASE("firings between two instants include the first instant and not the last")
{
    auto const plain = task(R"({"kind":"fixed_rate","every_ms":1000})");
    auto const some = firings(plain, created, created, created + 3s, 100);
    CHECK(some == std::vector<utc_time>{created, created + 1s, created + 2s});
    CHECK(firings(plain, created, created, created + 3s, 2).size() == 2);
    CHECK(firings(plain, created, created, created, 2).empty());
}

TEST_CASE("nothing fires at or after the end")
{
    auto const plan =
        firing_plan(task(R"({"kind":"cron","cron":"0 * * * *","end_at":"2026-03-01T12:00:00Z"})"), created);
    CHECK(plan.between(created, created + 24h, 100) == std::vector<utc_time>{at("2026-03-01T11:00:00Z")});
    CHECK_FALSE(plan.first(at("2026-03-01T11:00:00.000001Z")));
}

TEST_CASE("a fixed delay fires first at once or at start_at, and then a delay after each end")
{
    firing_plan const plain(task(R"({"kind":"fixed_delay","every_ms":5000})"), created);
    CHECK(plain.first(created + 7s) == created + 7s);
    CHECK(plain.after_completion(created + 9s) == created + 14s);
    CHECK(plain.between(created, created + 1h, 10).empty());
    firing_plan const later(task(R"({"kind":"fixed_delay","every_ms":5000,"start_at":"2026-03-01T11:00:00Z"})"),
                            created);
    CHECK(later.first(created) == at("2026-03-01T11:00:00Z"));
}

TEST_CASE("a task that only the API starts has no firings")
{
    firing_plan const plan(task(R"({"kind":"api"})"), created);
    CHECK_FALSE(plan.first(created));
    CHECK_FALSE(plan.after_completion(created));
    CHECK(plan.between(created, created + 1h, 10).empty());
}

TEST_CASE("a schedule without meaning is refused with the field of the task's document")
{
    CHECK(wrong_field(R"({"kind":"cron","cron":"61 * * * *"})") == "schedule.cron");
    CHECK(wrong_field(R"({"kind":"cron","cron":"0 0 30 2 *"})") == "schedule.cron");
    CHECK(wrong_field(R"({"kind":"cron","cron":"* * * * *","zone":"Mars/Olympus"})") == "schedule.zone");
    auto never = task(R"({"kind":"fixed_delay","every_ms":1})");
    never.schedule.every = 0s;
    CHECK(wrong_field(never) == "schedule.every_ms");
    CHECK(wrong_field(R"({"kind":"cron","cron":"0 12 * * *","start_at":"2026-03-01T13:00:00Z",
                          "end_at":"2026-03-01T18:00:00Z"})") == "schedule.end_at");
    CHECK(wrong_field(R"({"kind":"cron","cron":"0 12 * * *","end_at":"2026-03-01T18:00:00Z"})") == "none");
    CHECK(wrong_field(R"({"kind":"fixed_rate","every_ms":1000,"end_at":"2020-03-01T18:00:00Z"})") == "none");
    CHECK(wrong_field(R"({"kind":"once","at":"2020-03-01T18:00:00Z"})") == "none");
}

} // namespace baton::schedule
