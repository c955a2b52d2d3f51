// The policies for hours that do not exist or come twice.

#include "libs/schedule/schedule.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace clock_policy_test {
namespace {

using namespace baton;
using namespace baton::schedule;
using protocol::cron_dialect;
using protocol::cron_rules;
using protocol::gap_policy;
using protocol::overlap_policy;
using list = std::vector<std::string>;

// The firings of twelve hours, as times of the day in UTC.
list firings(std::string const& expression, cron_rules rules, std::string const& from,
             std::string const& zone = "Europe/Berlin")
{
    timetable const times({.kind = protocol::schedule_kind::cron, .cron = expression, .zone = zone, .rules = rules},
                          utc_time{});
    auto const begin = from_rfc3339(from);
    list found;
    for (auto const at : times.between(begin, begin + 12h, 100))
        found.push_back(to_rfc3339(at).substr(11, 5));
    return found;
}

constexpr char const* forward = "2027-03-27T20:00:00Z"; // 02:00 becomes 03:00 at 01:00 UTC
constexpr char const* back = "2027-10-30T20:00:00Z";    // 03:00 becomes 02:00 at 01:00 UTC

list in_gap(std::string const& expression, std::optional<gap_policy> gap)
{
    return firings(expression, {.gap = gap}, forward);
}

list in_overlap(std::string const& expression, std::optional<overlap_policy> overlap)
{
    return firings(expression, {.overlap = overlap}, back);
}

} // namespace

TEST_CASE("a time in a gap fires not at all, at the end of the gap, or as much later as the gap is long")
{
    CHECK(in_gap("30 2 * * *", gap_policy::skip).empty());
    CHECK(in_gap("30 2 * * *", gap_policy::next_valid) == list{"01:00"});
    CHECK(in_gap("30 2 * * *", gap_policy::shift) == list{"01:30"});
    CHECK(in_gap("0,45 2 * * *", gap_policy::next_valid) == list{"01:00"});
    CHECK(in_gap("0,45 2 * * *", gap_policy::shift) == list{"01:00", "01:45"});
    CHECK(in_gap("0 3 * * *", gap_policy::skip) == list{"01:00"});
}

TEST_CASE("a shifted time and an own one of the same moment have one firing")
{
    CHECK(in_gap("30 2,3 * * *", gap_policy::shift) == list{"01:30"});
    CHECK(in_gap("15,30 2 * * *", gap_policy::shift) == list{"01:15", "01:30"});
    CHECK(in_gap("0 2,3 * * *", gap_policy::next_valid) == list{"01:00"});
    CHECK(in_gap("*/30 1-4 * * *", gap_policy::shift) == list{"00:00", "00:30", "01:00", "01:30", "02:00", "02:30"});
}

TEST_CASE("a time that comes twice fires at the first, at the second or at both")
{
    CHECK(in_overlap("30 2 * * *", overlap_policy::first) == list{"00:30"});
    CHECK(in_overlap("30 2 * * *", overlap_policy::second) == list{"01:30"});
    CHECK(in_overlap("30 2 * * *", overlap_policy::both) == list{"00:30", "01:30"});
    CHECK(in_overlap("0 1-3 * * *", overlap_policy::second) == list{"23:00", "01:00", "02:00"});
    CHECK(in_overlap("*/30 2 * * *", overlap_policy::first) == list{"00:00", "00:30"});
}

TEST_CASE("a field that lists every value names fixed times, which are caught up and fire once")
{
    CHECK(in_gap("15 0-23 * * *", {}).size() == 13); // 02:15 is caught up at 03:00
    CHECK(in_gap("0-59 2 * * *", {}) == list{"01:00"});
    CHECK(in_overlap("15 1-3 * * *", {}) == list{"23:15", "00:15", "02:15"});
    CHECK(in_overlap("15 */1 * * *", {}).size() == 12);
}

TEST_CASE("without policies an expression of Quartz skips a gap, and fires at the second of two times")
{
    cron_rules const quartz{.dialect = cron_dialect::quartz};
    CHECK(firings("0 30 2 * * ?", quartz, forward).empty());
    CHECK(firings("0 30 2 * * ?", quartz, back) == list{"01:30"});
    CHECK(firings("0 0 1-3 * * ?", quartz, back) == list{"23:00", "01:00", "02:00"});
    auto const named = cron_rules{cron_dialect::quartz, gap_policy::shift, overlap_policy::both, {}};
    CHECK(firings("0 30 2 * * ?", named, forward) == list{"01:30"});
    CHECK(firings("0 30 2 * * ?", named, back) == list{"00:30", "01:30"});
}

TEST_CASE("the policies hold for changes by half an hour and by a day")
{
    cron_rules const shift{.gap = gap_policy::shift, .overlap = overlap_policy::second};
    CHECK(firings("15 2 * * *", shift, "2026-10-03T12:00:00Z", "Australia/Lord_Howe") == list{"15:45"});
    CHECK(firings("45 1 * * *", shift, "2027-04-03T12:00:00Z", "Australia/Lord_Howe") == list{"15:15"});
    // 30 December 2011 was left out
    CHECK(firings("0 12 30 * *", shift, "2011-12-30T16:00:00Z", "Pacific/Apia") == list{"22:00"});
    CHECK(firings("0 12 30 * *", {.gap = gap_policy::skip}, "2011-12-29T22:00:00Z", "Pacific/Apia").empty());
}

TEST_CASE("a search that begins within a gap's shifted times or within the second pass goes on there")
{
    CHECK(firings("15,30 2 * * *", {.gap = gap_policy::shift}, "2027-03-28T01:16:00Z") == list{"01:30"});
    CHECK(firings("0,30 2 * * *", {.overlap = overlap_policy::second}, "2027-10-31T01:01:00Z") == list{"01:30"});
    CHECK(firings("0,30 2 * * *", {.overlap = overlap_policy::first}, "2027-10-31T01:01:00Z").empty());
}

} // namespace clock_policy_test
