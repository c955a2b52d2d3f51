#include "libs/base/error.hpp"
#include "libs/schedule/cron.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace cron_parse_test {
namespace {

using namespace baton::schedule;
using baton::protocol::gap_policy;
using baton::protocol::overlap_policy;

std::string why_refused(std::string const& text)
{
    try {
        cron::parse(text);
    } catch (baton::invalid_input const& wrong) {
        CHECK(wrong.field() == "schedule.cron");
        return wrong.what();
    }
    return "accepted";
}

void same(std::string const& one, std::string const& other)
{
    INFO(one << " = " << other);
    CHECK(cron::parse(one).fields() == cron::parse(other).fields());
}

constexpr std::uint64_t bits(std::initializer_list<int> values)
{
    std::uint64_t set = 0;
    for (auto const value : values)
        set |= std::uint64_t{1} << value;
    return set;
}

} // namespace

TEST_CASE("each field of an expression admits the values that its text lists")
{
    auto const fields = cron::parse("0,30-32,50-59/4 */6 1-31/10 feb,11 mon-wed,5").fields();
    CHECK(fields.seconds == bits({0}));
    CHECK(fields.minutes == bits({0, 30, 31, 32, 50, 54, 58}));
    CHECK(fields.hours == bits({0, 6, 12, 18}));
    CHECK(fields.days == bits({1, 11, 21, 31}));
    CHECK(fields.months == bits({2, 11}));
    CHECK(fields.weekdays == bits({1, 2, 3, 5}));
}

TEST_CASE("the first of six fields is the second")
{
    auto const fields = cron::parse("*/20 5 4 3 2 1").fields();
    CHECK(fields.seconds == bits({0, 20, 40}));
    CHECK(fields.minutes == bits({5}));
    CHECK(fields.hours == bits({4}));
    CHECK(fields.days == bits({3}));
    CHECK(fields.months == bits({2}));
    CHECK(fields.weekdays == bits({1}));
}

TEST_CASE("different spellings of an expression parse to the same fields")
{
    same("0 0 * * 0", "0 0 * * 7");
    same("0 0 * * 0", "0 0 * * SUN");
    same("0 0 * * 5-7", "0 0 * * 0,5,6");
    same("0 0 * * fri-sun", "0 0 * * 5-7");
    same("0 0 * * sat-0", "0 0 * * 6,7");
    same("0 0 * * 0-7", "0 0 * * 0-6");
    same("0 0 * * sun-tue", "0 0 * * 0-2");
    same("0 0 1 JAN-mar *", "0 0 1 1-3 *");
    same("0 0 ? * ?", "0 0 * * *");
    same("  0\t0  * * * ", "0 0 * * *");
    same("0 0 0 * * *", "0 0 * * *");
    same("*/1 * * * *", "* * * * *");
    same("*/75 * * * *", "*/60 * * * *");
    same("0 10/15 * * * ?", "0 10-59/15 * * * *");
    same("0/30 * * * * *", "*/30 * * * * *");
    same("0 0 0 ? * 5/1", "0 0 0 ? * 5-6");
    same("0 0 0 ? * 7/2", "0 0 0 ? * 0");
}

TEST_CASE("a nickname in upper or lower case parses like its expression")
{
    same("@hourly", "0 * * * *");
    same("@daily", "0 0 * * *");
    same("@midnight", "0 0 * * *");
    same("@weekly", "0 0 * * 0");
    same("@monthly", "0 0 1 * *");
    same("@yearly", "0 0 1 1 *");
    same(" @ANNUALLY ", "0 0 1 1 *");
}

TEST_CASE("a date may match either day field only if neither begins with a wildcard")
{
    CHECK(cron::parse("0 0 13 * 5").fields().either_day);
    CHECK(cron::parse("0 0 1-31 * 0-6").fields().either_day);
    CHECK_FALSE(cron::parse("0 0 */2 * 5").fields().either_day);
    CHECK_FALSE(cron::parse("0 0 13 * */2").fields().either_day);
    CHECK_FALSE(cron::parse("0 0 13 * *").fields().either_day);
    CHECK_FALSE(cron::parse("0 0 13 * ?").fields().either_day);
}

TEST_CASE("only a minute or hour field that begins with a star means again and again, as for Debian's cron")
{
    clock_policy const again{gap_policy::skip, overlap_policy::both};
    clock_policy const once_a_day{gap_policy::next_valid, overlap_policy::first};
    for (auto const* text : {"* 2 * * *", "*/5 2 * * *", "30 * * * *", "30 */2 * * *", "0 */5 2 * * *", "@hourly"})
        CHECK(cron::parse(text).usual_policy() == again);
    for (auto const* text :
         {"30 2 * * *", "0,30 1-5 * * *", "0-59 2 * * *", "* 30 2 * * *", "30 0-23 * * *", "0 0/5 2 * * *", "@daily"})
        CHECK(cron::parse(text).usual_policy() == once_a_day);
}

TEST_CASE("a policy that a task names takes the place of the usual one")
{
    auto const daily = cron::parse("30 2 * * *");
    CHECK(policy_of(daily, {}) == daily.usual_policy());
    CHECK(policy_of(daily, {.gap = gap_policy::shift}) == clock_policy{gap_policy::shift, overlap_policy::first});
    CHECK(policy_of(daily, {.overlap = overlap_policy::both}) ==
          clock_policy{gap_policy::next_valid, overlap_policy::both});
}

TEST_CASE("a wrong expression is refused with the field and the text that are wrong")
{
    struct refusal {
        std::string text;
        std::string why;
    };
    auto const [text, why] = GENERATE(values<refusal>({
        {"", "column 1: it is empty; write for example '0 2 * * mon-fri'"},
        {" \t ", "column 1: it is empty; write for example '0 2 * * mon-fri'"},
        {"* * * *", "column 7: it has 4 fields; five (minute hour day-of-month month day-of-week) or six, with seconds "
                    "first, are expected; write for example '0 2 * * mon-fri'"},
        {"x", "column 1: it has 1 field; five (minute hour day-of-month month day-of-week) or six, with seconds first, "
              "are expected; write for example '0 2 * * mon-fri'"},
        {"0 0 0 * * ? 2026", "column 13: it has 7 fields; five (minute hour day-of-month month day-of-week) or six, "
                             "with seconds first, are expected; write for example '0 2 * * mon-fri'"},
        {"60 * * * *", "minute (column 1): '60' is not from 0 to 59; write for example '*/15'"},
        {"60 0 * * * *", "second (column 1): '60' is not from 0 to 59; write for example '*/10'"},
        {"0 24 * * *", "hour (column 3): '24' is not from 0 to 23; write for example '9-17'"},
        {"0 0 0 * *", "day of month (column 5): '0' is not from 1 to 31; write for example '1,15'"},
        {"0 0 32 * *", "day of month (column 5): '32' is not from 1 to 31; write for example '1,15'"},
        {"0 0 * 13 *", "month (column 7): '13' is not from 1 to 12; write for example 'jan-jun'"},
        {"0 0 * * 8", "day of week (column 9): '8' is not from 0 to 7; write for example 'mon-fri'"},
        {"0 0 * * 99999999999999999999",
         "day of week (column 9): '99999999999999999999' is not from 0 to 7; write for example 'mon-fri'"},
        {"a * * * *", "minute (column 1): 'a' is not a number; write for example '*/15'"},
        {"mon * * * *", "minute (column 1): 'mon' is not a number; write for example '*/15'"},
        {"0 0 * foo *",
         "month (column 7): 'foo' is not a number or a month's name (jan to dec); write for example 'jan-jun'"},
        {"0 0 * january *",
         "month (column 7): 'january' is not a number or a month's name (jan to dec); write for example 'jan-jun'"},
        {"0 0 * * jan",
         "day of week (column 9): 'jan' is not a number or a weekday's name (sun to sat); write for example 'mon-fri'"},
        {"0 0 L * *", "day of month (column 5): 'L' is of the dialect quartz, which the schedule does not name; write "
                      "for example '1,15'"},
        {"0 0 * * 5#2", "day of week (column 9): '5#2' is of the dialect quartz, which the schedule does not name; "
                        "write for example 'mon-fri'"},
        {"-5 * * * *", "minute (column 1): '-5' is not a number; write for example '*/15'"},
        {"5- * * * *", "minute (column 1): '5-' is not a number; write for example '*/15'"},
        {"1-2-3 * * * *", "minute (column 3): '2-3' is not a number; write for example '*/15'"},
        {"+5 * * * *", "minute (column 1): '+5' is not a number; write for example '*/15'"},
        {"1.5 * * * *", "minute (column 1): '1.5' is not a number; write for example '*/15'"},
        {"? * * * *", "minute (column 1): '?' is not a number; write for example '*/15'"},
        {"** * * * *", "minute (column 1): '**' is not a number; write for example '*/15'"},
        {"30-10 * * * *", "minute (column 1): the range '30-10' runs backwards; write for example '30-59,0-10'"},
        {"0 22-6 * * *", "hour (column 3): the range '22-6' runs backwards; write for example '22-23,0-6'"},
        {"0 0 * nov-feb *", "month (column 7): the range 'nov-feb' runs backwards; write for example '11-12,1-2'"},
        {"0 0 * * fri-mon", "day of week (column 9): the range 'fri-mon' runs backwards; write for example '5-6,0-1'"},
        {"*/0 * * * *", "minute (column 3): the step in '*/0' must be a number from 1 on; write for example '*/15'"},
        {"*/ * * * *", "minute (column 3): the step in '*/' must be a number from 1 on; write for example '*/15'"},
        {"*/-5 * * * *", "minute (column 3): the step in '*/-5' must be a number from 1 on; write for example '*/15'"},
        {"*/5/2 * * * *",
         "minute (column 3): the step in '*/5/2' must be a number from 1 on; write for example '*/15'"},
        {"5/10 * * * *",
         "minute (column 1): the step in '5/10' needs a range or '*' before it; write for example '5-59/10'"},
        {"1,,2 * * * *", "minute (column 3): '1,,2' has an empty item in its list; write for example '*/15'"},
        {"1, * * * *", "minute (column 3): '1,' has an empty item in its list; write for example '*/15'"},
        {"0 0 30 2 *",
         "day of month (column 5): it never fires: no month that it admits has such a day; write for example '28'"},
        {"0 0 31 feb,apr,jun,9,11 *",
         "day of month (column 5): it never fires: no month that it admits has such a day; write for example '28'"},
        {"0 0 31 2 */2",
         "day of month (column 5): it never fires: no month that it admits has such a day; write for example '28'"},
        {"@every 90s", "column 1: @every is not a time of the calendar: give the task a fixed rate, kind fixed_rate "
                       "with every_ms (`baton task add --every 90s`); write for example '*/5 * * * *'"},
        {"@reboot",
         "column 1: @reboot is not a time of the calendar; it has no next firing; write for example '@daily'"},
        {"@fortnightly", "column 1: '@fortnightly' is not one of @hourly, @daily, @midnight, @weekly, @monthly, "
                         "@yearly and @annually; write for example '@daily'"},
        {"@daily 5", "column 8: '5' follows '@daily', which stands alone; write for example '@daily'"},
        {"\xff\x01 * * * *", "minute (column 1): '\\xff\\u0001' is not a number; write for example '*/15'"},
        {"f\xc3\xbcnf * * * *", "minute (column 1): 'f\xc3\xbc"
                                "nf' is not a number; write for example '*/15'"},
        {std::string(70, 'z') + " * * * *",
         "minute (column 1): '" + std::string(60, 'z') + "...' is not a number; write for example '*/15'"},
        {std::string(1'025, '*'),
         "column 1025: it is longer than 1024 characters; write for example '0 2 * * mon-fri'"},
    }));
    INFO(text);
    CHECK(why_refused(text) == why);
}

TEST_CASE("a rare expression that does fire is accepted")
{
    CHECK(why_refused("0 0 29 2 *") == "accepted");
    CHECK(why_refused("0 0 30 2 1") == "accepted"); // Mondays in February
    CHECK(why_refused("0 0 31 2,12 *") == "accepted");
    CHECK(why_refused("0 0 29 2 */7") == "accepted");
}

} // namespace cron_parse_test
