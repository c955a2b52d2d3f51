#pragma once
// The rule for the years behind the table of a zone file, as POSIX writes it in TZ: "CET-1CEST,M3.5.0,M10.5.0/3".

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace baton::schedule {

// From `at` on, local time is UTC plus `offset` seconds.
struct offset_change {
    std::chrono::sys_seconds at;
    std::int32_t offset = 0;
};

// A day of each year, and a time.
struct rule_date {
    enum class kind {
        weekday,     // Mm.w.d: the w-th (5: the last) day of the week d in month m
        julian,      // Jn: day n of the year from 1 on, 29 February never counted
        day_of_year, // n: from 0 on, 29 February counted
    };
    kind by = kind::weekday;
    int month = 1;
    int week = 1;
    int day = 0;
    std::int32_t time = 7'200; // seconds of local time behind midnight; may be negative or over a day
};

struct daylight_rule {
    std::int32_t offset = 0;
    rule_date begin;
    rule_date end;
};

struct posix_rule {
    std::int32_t offset = 0; // of standard time, local minus UTC
    std::optional<daylight_rule> daylight;

    // The two changes of a year in order of time. Only with daylight time.
    std::array<offset_change, 2> changes_in(std::chrono::year year) const;
};

// Empty for text that is not such a rule. The numbers may exceed those of POSIX as RFC 8536 allows.
std::optional<posix_rule> parse_posix_rule(std::string_view text);

} // namespace baton::schedule
