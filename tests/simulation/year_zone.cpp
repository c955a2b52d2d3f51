#include "tests/simulation/year_oracle.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <time.h>

// The wall clock of a zone, by the C library.

namespace year_oracle {

using namespace std::chrono_literals;

namespace {

int days_in(int year, int month)
{
    constexpr std::array days{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool const leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 && leap ? 29 : days[static_cast<std::size_t>(month - 1)];
}

local_minute from_tm(tm const& at)
{
    local_minute out{at.tm_year + 1900, at.tm_mon + 1, at.tm_mday, at.tm_hour, at.tm_min, at.tm_wday, 0};
    out.last_day = days_in(out.year, out.month);
    return out;
}

// What a clock with this offset to UTC would show.
local_minute shown(std::time_t utc, long offset)
{
    std::time_t const moved = utc + offset;
    tm at{};
    gmtime_r(&moved, &at);
    return from_tm(at);
}

std::time_t seconds_of(utc_time at)
{
    return std::chrono::duration_cast<std::chrono::seconds>(at.time_since_epoch()).count();
}

} // namespace

zone_year look_at_zone(std::string const& name, utc_time begin, std::size_t minutes)
{
    zone_year out{name, {}, {}};
    out.minutes.reserve(minutes);
    ::setenv("TZ", name.c_str(), 1);
    ::tzset();
    long offset = 0;
    int passed = 0; // minutes that the clock shows for the second time, from here on
    for (std::size_t i = 0; i < minutes; ++i) {
        std::time_t const utc = seconds_of(begin + i * 1min);
        tm at{};
        ::localtime_r(&utc, &at);
        auto const change = i == 0 ? 0 : (at.tm_gmtoff - offset) / 60;
        for (long left = change; left > 0; --left)
            out.gaps[i].push_back(shown(utc, at.tm_gmtoff - left * 60));
        for (long again = 1; again <= -change && again <= static_cast<long>(i); ++again)
            out.minutes[i - static_cast<std::size_t>(again)].comes_again = true;
        passed = change < 0 ? static_cast<int>(-change) : std::max(passed - 1, 0);
        offset = at.tm_gmtoff;
        out.minutes.push_back(from_tm(at));
        out.minutes.back().second_pass = passed > 0;
    }
    ::setenv("TZ", "UTC", 1);
    ::tzset();
    return out;
}

} // namespace year_oracle
