// Daily windows, also compared with a walk through every minute that uses the C library's time zones.

#include "libs/base/error.hpp"
#include "libs/base/random.hpp"
#include "libs/schedule/schedule.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cstdlib>
#include <ctime>
#include <string>

namespace window_test {
namespace {

using namespace baton;
using namespace baton::schedule;

protocol::schedule_spec spec_of(char const* document)
{
    return protocol::parse_task(
               {{"name", "t"}, {"service", "s"}, {"handler", "h"}, {"schedule", nlohmann::json::parse(document)}})
        .schedule;
}

// The firings as UTC, without the seconds: "2026-06-05T07:00 2026-06-05T07:15".
std::string firings(char const* document, char const* from, char const* until)
{
    std::string text;
    for (auto const at :
         timetable(spec_of(document), utc_time{}).between(from_rfc3339(from), from_rfc3339(until), 1'000))
        text += (text.empty() ? "" : " ") + to_rfc3339(at).substr(0, 16);
    return text;
}

// "field: why", or "accepted".
std::string refusal(char const* document)
{
    try {
        check_schedule(spec_of(document));
    } catch (invalid_input const& wrong) {
        return wrong.field() + ": " + wrong.what();
    }
    return "accepted";
}

struct reading {
    std::int64_t line; // the reading as seconds on a line of its own
    int minute_of_day;
    int weekday;
};

reading wall(std::int64_t utc)
{
    std::time_t const when = utc;
    std::tm at{};
    localtime_r(&when, &at);
    std::tm copy = at;
    return {timegm(&copy), at.tm_hour * 60 + at.tm_min, at.tm_wday};
}

struct sample {
    int from;
    int to;
    int every; // all in minutes
    unsigned weekdays;

    // By the definition alone: the reading is so many pauses behind the begin, and not behind the end.
    bool admits(reading const& at) const
    {
        bool const over_midnight = to < from;
        bool const day_before = over_midnight && at.minute_of_day <= to;
        int const day = day_before ? (at.weekday + 6) % 7 : at.weekday;
        int const passed = at.minute_of_day - from + (day_before ? 1'440 : 0);
        bool const inside =
            over_midnight ? day_before || at.minute_of_day >= from : at.minute_of_day >= from && at.minute_of_day <= to;
        return inside && passed % every == 0 && (weekdays >> day & 1u) != 0;
    }
};

// All changes of the clocks since 1990 are of half an hour to three hours.
bool shown_before(std::int64_t utc, reading const& now)
{
    for (std::int64_t const back : {1'800, 3'600, 7'200, 10'800})
        if (wall(utc - back).line == now.line)
            return true;
    return false;
}

std::vector<utc_time> walked(sample const& job, std::int64_t from, std::int64_t until)
{
    std::vector<utc_time> found;
    for (auto utc = from; utc < until; utc += 60)
        if (auto const now = wall(utc); job.admits(now) && !shown_before(utc, now))
            found.push_back(from_micros(utc * 1'000'000));
    return found;
}

} // namespace

TEST_CASE("a window fires from its begin to its end on its days, and at its end if that is on the grid")
{
    auto const* const office =
        R"({"kind":"window","every_ms":900000,"from":"09:00","to":"09:30","days":["mon","fri"],"zone":"Europe/Berlin"})";
    CHECK(firings(office, "2026-06-05T00:00:00Z", "2026-06-09T00:00:00Z") ==
          "2026-06-05T07:00 2026-06-05T07:15 2026-06-05T07:30 2026-06-08T07:00 2026-06-08T07:15 2026-06-08T07:30");
    auto const* const off_grid = R"({"kind":"window","every_ms":1200000,"from":"09:00","to":"09:30"})";
    CHECK(firings(off_grid, "2026-06-05T00:00:00Z", "2026-06-06T00:00:00Z") == "2026-06-05T09:00 2026-06-05T09:20");
    auto const* const point = R"({"kind":"window","every_ms":1000,"from":"09:00","to":"09:00"})";
    CHECK(firings(point, "2026-06-05T00:00:00Z", "2026-06-06T00:00:00Z") == "2026-06-05T09:00");
}

TEST_CASE("a window over midnight belongs to the day on which it begins")
{
    auto const* const night = R"({"kind":"window","every_ms":7200000,"from":"22:00","to":"04:00","days":["fri"]})";
    CHECK(firings(night, "2026-06-04T00:00:00Z", "2026-06-11T00:00:00Z") ==
          "2026-06-05T22:00 2026-06-06T00:00 2026-06-06T02:00 2026-06-06T04:00");
    CHECK(firings(night, "2026-06-06T01:00:00Z", "2026-06-11T00:00:00Z") == "2026-06-06T02:00 2026-06-06T04:00");
}

TEST_CASE("a window leaves out the times that the clock skips, and fires once at those that it shows twice")
{
    auto const* const night =
        R"({"kind":"window","every_ms":1800000,"from":"01:30","to":"03:30","zone":"Europe/Berlin"})";
    CHECK(firings(night, "2027-03-28T00:00:00Z", "2027-03-28T12:00:00Z") ==
          "2027-03-28T00:30 2027-03-28T01:00 2027-03-28T01:30");
    CHECK(firings(night, "2027-10-30T23:00:00Z", "2027-10-31T12:00:00Z") ==
          "2027-10-30T23:30 2027-10-31T00:00 2027-10-31T00:30 2027-10-31T02:00 2027-10-31T02:30");
    CHECK(firings(night, "2027-10-31T01:00:00Z", "2027-10-31T02:01:00Z") == "2027-10-31T02:00");
    auto const* const gap =
        R"({"kind":"window","every_ms":60000,"from":"02:10","to":"02:50","days":["sun"],"zone":"Europe/Berlin"})";
    CHECK(firings(gap, "2027-03-28T00:00:00Z", "2027-04-04T00:11:00Z") == "2027-04-04T00:10");
}

TEST_CASE("a window follows the policies of its task where the clock changes")
{
    std::string const night =
        R"({"kind":"window","every_ms":1800000,"from":"02:00","to":"03:30","zone":"Europe/Berlin",)";
    auto const spring = [&](char const* gap) {
        return firings((night + R"("gap":")" + gap + "\"}").c_str(), "2027-03-28T00:00:00Z", "2027-03-28T12:00:00Z");
    };
    CHECK(spring("skip") == "2027-03-28T01:00 2027-03-28T01:30");
    CHECK(spring("next_valid") == "2027-03-28T01:00 2027-03-28T01:30"); // 03:00 is one of its times
    CHECK(spring("shift") == "2027-03-28T01:00 2027-03-28T01:30");      // 02:00 is moved to 03:00, 02:30 to 03:30
    auto const autumn = [&](char const* overlap) {
        return firings((night + R"("overlap":")" + overlap + "\"}").c_str(), "2027-10-30T22:00:00Z",
                       "2027-10-31T02:00:00Z");
    };
    CHECK(autumn("first") == "2027-10-31T00:00 2027-10-31T00:30");
    CHECK(autumn("second") == "2027-10-31T01:00 2027-10-31T01:30");
    CHECK(autumn("both") == "2027-10-31T00:00 2027-10-31T00:30 2027-10-31T01:00 2027-10-31T01:30");

    auto const skipped = [&](char const* gap) {
        return firings(
            (R"({"kind":"window","every_ms":1200000,"from":"02:10","to":"02:50","zone":"Europe/Berlin","gap":")" +
             std::string(gap) + "\"}")
                .c_str(),
            "2027-03-28T00:00:00Z", "2027-03-28T12:00:00Z");
    };
    CHECK(skipped("skip").empty());
    CHECK(skipped("next_valid") == "2027-03-28T01:00");
    CHECK(skipped("shift") == "2027-03-28T01:10 2027-03-28T01:30 2027-03-28T01:50");
}

TEST_CASE("a window keeps to the start and the end of its task")
{
    auto const* const limited =
        R"({"kind":"window","every_ms":3600000,"from":"09:00","to":"12:00","start_at":"2026-06-05T09:30:00Z",
            "end_at":"2026-06-05T12:00:00Z"})";
    CHECK(firings(limited, "2026-06-01T00:00:00Z", "2026-07-01T00:00:00Z") == "2026-06-05T10:00 2026-06-05T11:00");
}

TEST_CASE("a wrong window is refused with the field and an example")
{
    CHECK(refusal(R"({"kind":"window","every_ms":900000,"from":"9:00","to":"17:30"})") ==
          "schedule.from: schedule.from must be a time of the day from 00:00 to 23:59:59, such as 17:30, not '9:00'");
    CHECK(refusal(R"({"kind":"window","every_ms":900000,"from":"09:00","to":"24:00"})").starts_with("schedule.to: "));
    CHECK(refusal(R"({"kind":"window","every_ms":900000,"from":"09:00"})").starts_with("schedule.to: "));
    CHECK(refusal(R"({"kind":"window","every_ms":1500,"from":"09:00","to":"17:30"})").starts_with("schedule.every_ms"));
    CHECK(refusal(R"({"kind":"window","every_ms":86401000,"from":"09:00","to":"17:30"})")
              .starts_with("schedule.every_ms"));
    CHECK(refusal(R"({"kind":"window","every_ms":900000,"from":"09:00","to":"17:30","days":[]})") ==
          R"(schedule.days: schedule.days must be an array of at least one day, such as ["mon", "fri"])");
    CHECK(refusal(R"({"kind":"window","every_ms":900000,"from":"09:00","to":"17:30","days":["monday"]})") ==
          "schedule.days: schedule.days must list days such as mon, tue, wed, thu, fri, sat or sun, not 'monday'");
    CHECK(refusal(R"({"kind":"window","every_ms":900000,"from":"09:00","to":"17:30","days":["mon","mon"]})") ==
          "schedule.days: schedule.days names mon twice");
    CHECK(refusal(R"({"kind":"window","every_ms":900000,"from":"09:00","to":"17:30","zone":"Mars"})")
              .starts_with("schedule.zone: "));
    CHECK(refusal(R"({"kind":"window","every_ms":900000,"from":"09:00:30","to":"17:30"})") == "accepted");
}

TEST_CASE("a window survives writing and parsing, with its days in the order of the week")
{
    auto const* const given =
        R"({"kind":"window","every_ms":900000,"from":"22:00","to":"04:00:05","days":["sun","mon"],"zone":"Asia/Tokyo"})";
    auto const task = protocol::parse_task(
        {{"name", "t"}, {"service", "s"}, {"handler", "h"}, {"schedule", nlohmann::json::parse(given)}});
    auto const written = protocol::to_json(task).at("schedule");
    CHECK(
        written.dump() ==
        R"({"days":["mon","sun"],"every_ms":900000,"from":"22:00","kind":"window","to":"04:00:05","zone":"Asia/Tokyo"})");
    CHECK(
        protocol::to_json(protocol::patch_task(task, {{"schedule", {{"days", nullptr}}}}))["schedule"]["days"].size() ==
        7);
}

TEST_CASE("the description of a window names its pause, its ends, its days and its zone")
{
    CHECK(describe(spec_of(R"({"kind":"window","every_ms":900000,"from":"09:00","to":"17:30",
                               "days":["mon","tue","wed","thu","fri"],"zone":"Europe/Berlin"})")) ==
          "every 15 minutes from 09:00 to 17:30 on Monday to Friday in Europe/Berlin");
    CHECK(describe(spec_of(R"({"kind":"window","every_ms":3600000,"from":"22:00","to":"04:00"})")) ==
          "every hour from 22:00 to 04:00 of the next day every day in UTC");
}

TEST_CASE("the firings of a window are those of a walk through every minute")
{
    INFO("seed " << Catch::rngSeed());
    seeded_random random(Catch::rngSeed());
    auto const below = [&](int count) { return static_cast<int>(random.below(static_cast<std::uint64_t>(count))); };
    for (auto const* zone : {"UTC", "Europe/Berlin", "Australia/Lord_Howe", "America/St_Johns", "Africa/Casablanca"}) {
        setenv("TZ", zone, 1);
        tzset();
        for (int round = 0; round < 12; ++round) {
            sample const job{below(1'440), below(1'440), 1 + below(round % 2 == 0 ? 30 : 600),
                             1u + static_cast<unsigned>(below(127))};
            auto const begin = std::int64_t{60} * (28'401'120 + below(5'000'000)); // from 2024 to 2033
            auto const end = begin + 60 * 86'400;
            protocol::schedule_spec spec{.kind = protocol::schedule_kind::window, .zone = zone};
            spec.every = std::chrono::minutes{job.every};
            spec.window = {std::chrono::minutes{job.from}, std::chrono::minutes{job.to},
                           static_cast<std::uint8_t>(job.weekdays)};
            INFO(describe(spec) << ", from " << to_rfc3339(from_micros(begin * 1'000'000)));
            timetable const times(spec, utc_time{});
            CHECK(times.between(from_micros(begin * 1'000'000), from_micros(end * 1'000'000), 1'000'000) ==
                  walked(job, begin, end));
        }
    }
}

} // namespace window_test
