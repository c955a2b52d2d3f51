#include "libs/base/error.hpp"
#include "libs/schedule/cron.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace cron_parse_test {
namespace {

using baton::schedule::cron;

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

TEST_CASE("an expression repeats if its minute or hour field is a wildcard in any form")
{
    for (auto const* text : {"* 2 * * *", "*/5 2 * * *", "30 * * * *", "30 */2 * * *", "30 0-23 * * *", "0-59 2 * * *",
                             "0 0/5 2 * * *", "@hourly"})
        CHECK(cron::parse(text).repeats());
    for (auto const* text :
         {"30 2 * * *", "0,30 1-5 * * *", "0-58 2 * * *", "* 30 2 * * *", "30 2-22/2 * * *", "@daily"})
        CHECK_FALSE(cron::parse(text).repeats());
}

TEST_CASE("a wrong expression is refused with the field and the text that are wrong")
{
    struct refusal {
        std::string text;
        std::string why;
    };
    auto const [text, why] = GENERATE(values<refusal>({
        {"", "it is empty"},
        {" \t ", "it is empty"},
        {"* * * *",
         "it has 4 fields; five (minute hour day-of-month month day-of-week) or six, with seconds first, are expected"},
        {"x",
         "it has 1 field; five (minute hour day-of-month month day-of-week) or six, with seconds first, are expected"},
        {"0 0 0 * * ? 2026",
         "it has 7 fields; five (minute hour day-of-month month day-of-week) or six, with seconds first, are expected"},
        {"60 * * * *", "minute: '60' is not from 0 to 59"},
        {"60 0 * * * *", "second: '60' is not from 0 to 59"},
        {"0 24 * * *", "hour: '24' is not from 0 to 23"},
        {"0 0 0 * *", "day of month: '0' is not from 1 to 31"},
        {"0 0 32 * *", "day of month: '32' is not from 1 to 31"},
        {"0 0 * 13 *", "month: '13' is not from 1 to 12"},
        {"0 0 * * 8", "day of week: '8' is not from 0 to 7"},
        {"0 0 * * 99999999999999999999", "day of week: '99999999999999999999' is not from 0 to 7"},
        {"a * * * *", "minute: 'a' is not a number"},
        {"mon * * * *", "minute: 'mon' is not a number"},
        {"0 0 * foo *", "month: 'foo' is not a number or a month's name (jan to dec)"},
        {"0 0 * january *", "month: 'january' is not a number or a month's name (jan to dec)"},
        {"0 0 * * jan", "day of week: 'jan' is not a number or a weekday's name (sun to sat)"},
        {"0 0 L * *", "day of month: 'L' is not a number"},
        {"0 0 * * 5#2", "day of week: '5#2' is not a number or a weekday's name (sun to sat)"},
        {"-5 * * * *", "minute: '-5' is not a number"},
        {"5- * * * *", "minute: '5-' is not a number"},
        {"1-2-3 * * * *", "minute: '2-3' is not a number"},
        {"+5 * * * *", "minute: '+5' is not a number"},
        {"1.5 * * * *", "minute: '1.5' is not a number"},
        {"? * * * *", "minute: '?' is not a number"},
        {"** * * * *", "minute: '**' is not a number"},
        {"30-10 * * * *", "minute: the range '30-10' runs backwards"},
        {"0 22-6 * * *", "hour: the range '22-6' runs backwards"},
        {"0 0 * nov-feb *", "month: the range 'nov-feb' runs backwards"},
        {"0 0 * * fri-mon", "day of week: the range 'fri-mon' runs backwards"},
        {"*/0 * * * *", "minute: the step in '*/0' must be a number from 1 on"},
        {"*/ * * * *", "minute: the step in '*/' must be a number from 1 on"},
        {"*/-5 * * * *", "minute: the step in '*/-5' must be a number from 1 on"},
        {"*/5/2 * * * *", "minute: the step in '*/5/2' must be a number from 1 on"},
        {"5/10 * * * *", "minute: the step in '5/10' needs a range or '*' before it, such as 5-59/10"},
        {"1,,2 * * * *", "minute: '1,,2' has an empty item in its list"},
        {"1, * * * *", "minute: '1,' has an empty item in its list"},
        {"0 0 30 2 *", "it never fires: no month that it admits has such a day"},
        {"0 0 31 feb,apr,jun,9,11 *", "it never fires: no month that it admits has such a day"},
        {"0 0 31 2 */2", "it never fires: no month that it admits has such a day"},
        {"@every 90s",
         "@every is not a time of the calendar: give the task a fixed rate, kind fixed_rate with every_ms "
         "(`baton task add --every 90s`)"},
        {"@reboot", "@reboot is not a time of the calendar; it has no next firing"},
        {"@fortnightly",
         "'@fortnightly' is not one of @hourly, @daily, @midnight, @weekly, @monthly, @yearly and @annually"},
        {"@daily 5", "'5' follows '@daily', which stands alone"},
        {"\xff\x01 * * * *", "minute: '\\xff\\u0001' is not a number"},
        {"f\xc3\xbcnf * * * *", "minute: 'f\xc3\xbcnf' is not a number"},
        {std::string(70, 'z') + " * * * *", "minute: '" + std::string(60, 'z') + "...' is not a number"},
        {std::string(1'025, '*'), "it is longer than 1024 characters"},
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
