#include "libs/protocol/year_day.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace baton;
using namespace std::chrono;

namespace {

// The days of a year that the text names.
std::vector<year_month_day> days_in(int wanted, char const* text)
{
    auto const rule = protocol::parse_year_day(text);
    REQUIRE(rule.has_value());
    std::vector<year_month_day> found;
    for (local_days day{year{wanted} / January / 1}; day < local_days{year{wanted + 1} / January / 1}; day += days{1})
        if (protocol::matches(*rule, day))
            found.push_back(year_month_day{day});
    return found;
}

} // namespace

TEST_CASE("a rule of a calendar names the days that come back each year or each month")
{
    CHECK(days_in(2026, "12-25") == std::vector{year{2026} / December / 25});
    CHECK(days_in(2026, "05-mon-last") == std::vector{year{2026} / May / 25});
    CHECK(days_in(2027, "05-mon-last") == std::vector{year{2027} / May / 31});
    CHECK(days_in(2026, "11-thu-4") == std::vector{year{2026} / November / 26});
    CHECK(days_in(2026, "09-mon-1") == std::vector{year{2026} / September / 7});
    CHECK(days_in(2026, "02-sat-5").empty());
    CHECK(days_in(2028, "02-tue-5") == std::vector{year{2028} / February / 29});
    CHECK(days_in(2027, "02-last") == std::vector{year{2027} / February / 28});
    CHECK(days_in(2028, "02-last") == std::vector{year{2028} / February / 29});
    CHECK(days_in(2027, "02-29").empty());
    CHECK(days_in(2026, "*-31").size() == 7);
    CHECK(days_in(2026, "*-last").size() == 12);
    CHECK(days_in(2026, "*-fri-last").size() == 12);
    CHECK(days_in(2026, "*-sun-5").size() == 4);
}

TEST_CASE("a rule of a calendar is written as it was read, and a wrong one is refused")
{
    for (auto const* text : {"12-25", "02-29", "02-last", "*-01", "*-last", "05-mon-last", "11-thu-4", "*-sun-1"}) {
        auto const rule = protocol::parse_year_day(text);
        REQUIRE(rule.has_value());
        CHECK(protocol::to_text(*rule) == text);
    }
    for (auto const* text :
         {"",      "12",     "12-",      "1-1",      "02-30",        "00-10",    "13-01",     "01-00",
          "*-32",  "05-mon", "05-mon-0", "05-mon-6", "05-mon-last-", "05-Mon-1", "05-moon-1", "5-mon-1",
          "**-01", "05--1",  "+5-01",    "05-+1",    "05-mon-+1",    "12-25 "})
        CHECK_FALSE(protocol::parse_year_day(text).has_value());
}
