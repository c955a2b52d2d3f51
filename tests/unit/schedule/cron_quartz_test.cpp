#include "libs/base/error.hpp"
#include "libs/schedule/cron_firings.hpp"
#include "libs/schedule/schedule.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace cron_quartz_test {
namespace {

using namespace baton;
using namespace baton::schedule;
using protocol::cron_dialect;

cron quartz(std::string const& text)
{
    return cron::parse(text, cron_dialect::quartz);
}

std::string refusal(std::string const& text)
{
    try {
        quartz(text);
    } catch (invalid_input const& wrong) {
        CHECK(wrong.field() == "schedule.cron");
        return wrong.what();
    }
    return "accepted";
}

void same(std::string const& one, std::string const& other)
{
    INFO(one << " = " << other);
    CHECK(quartz(one) == quartz(other));
}

// The dates of the first firings at midnight from 2026 on.
std::vector<std::string> dates(std::string const& days, std::size_t count)
{
    auto const expression = quartz("0 0 0 " + days);
    std::vector<std::string> found;
    auto at = first_firing(expression, time_zone("UTC"), from_rfc3339("2026-01-01T00:00:00Z"));
    for (; at && found.size() < count; at = first_firing(expression, time_zone("UTC"), *at + tick))
        found.push_back(to_rfc3339(*at).substr(0, 10));
    return found;
}

std::string description(std::string const& text)
{
    return describe_cron(quartz(text));
}

} // namespace

TEST_CASE("Quartz numbers the days of the week from Sunday, which is 1, to Saturday, which is 7")
{
    CHECK(quartz("0 0 0 ? * 1").fields().weekdays == 0b0000001);
    CHECK(quartz("0 0 0 ? * SAT").fields().weekdays == 0b1000000);
    same("0 0 0 ? * 2-6", "0 0 0 ? * mon-FRI");
    same("0 0 0 ? * L", "0 0 0 ? * 7");
}

TEST_CASE("a range of Quartz may run over the end of its field")
{
    same("0 0 22-2 * * ?", "0 0 22,23,0,1,2 * * ?");
    same("0 50-10/10 0 * * ?", "0 50,0,10 0 * * ?");
    same("0 0 0 * NOV-FEB ?", "0 0 0 * 11,12,1,2 ?");
    same("0 0 0 ? * FRI-MON", "0 0 0 ? * 6,7,1,2");
    same("0 0 0 30-2 * ?", "0 0 0 30,31,1,2 * ?");
}

TEST_CASE("a step of Quartz may follow a single value or nothing")
{
    same("0 5/20 0 * * ?", "0 5,25,45 0 * * ?");
    same("0 /20 0 * * ?", "0 0,20,40 0 * * ?");
    same("0 0 0 ? * 3/2", "0 0 0 ? * 3,5,7");
}

TEST_CASE("Quartz names days from the end of a month, days near to another, and the n-th weekday")
{
    using list = std::vector<std::string>;
    CHECK(dates("L * ?", 3) == list{"2026-01-31", "2026-02-28", "2026-03-31"});
    CHECK(dates("L-3 2 ?", 3) == list{"2026-02-25", "2027-02-25", "2028-02-26"});
    CHECK(dates("L-30 * ?", 3) == list{"2026-01-01", "2026-03-01", "2026-05-01"}); // not in shorter months
    CHECK(dates("LW * ?", 3) == list{"2026-01-30", "2026-02-27", "2026-03-31"});
    CHECK(dates("15W * ?", 3) == list{"2026-01-15", "2026-02-16", "2026-03-16"}); // both are Sundays
    CHECK(dates("1W 8 ?", 2) == list{"2026-08-03", "2027-08-02"});                // a Saturday and a Sunday
    CHECK(dates("31W * ?", 3) == list{"2026-01-30", "2026-03-31", "2026-05-29"});
    CHECK(dates("L-3W * ?", 2) == list{"2026-01-28", "2026-02-25"});
    CHECK(dates("? * 6L", 2) == list{"2026-01-30", "2026-02-27"});
    CHECK(dates("? * SATL", 2) == list{"2026-01-31", "2026-02-28"});
    CHECK(dates("? * FRI#3", 2) == list{"2026-01-16", "2026-02-20"});
    CHECK(dates("? * 5#5", 3) == list{"2026-01-29", "2026-04-30", "2026-07-30"});
}

TEST_CASE("Quartz limits an expression to years")
{
    using list = std::vector<std::string>;
    CHECK(dates("1 1 ? 2030", 5) == list{"2030-01-01"});
    CHECK(dates("29 2 ? 2090-2099", 5) == list{"2092-02-29", "2096-02-29"});
    CHECK(dates("1 1 ? 2020,2040/20", 5) == list{"2040-01-01", "2060-01-01", "2080-01-01"});
    CHECK(dates("1 1 ? 1970", 5).empty());
    CHECK(dates("31 12 ? 2099", 5) == list{"2099-12-31"});
    same("0 0 0 * * ? *", "0 0 0 * * ?");
}

TEST_CASE("the first and the last hour of a year belong to it in every zone")
{
    for (auto const* zone : {"Pacific/Kiritimati", "Pacific/Pago_Pago"}) {
        time_zone const where(zone);
        auto const begin = first_firing(quartz("0 0 0 1 1 ? 2030"), where, from_rfc3339("2026-01-01T00:00:00Z"));
        auto const end = first_firing(quartz("59 59 23 31 12 ? 2030"), where, from_rfc3339("2026-01-01T00:00:00Z"));
        REQUIRE((begin && end));
        CHECK(*begin == where.to_utc(std::chrono::local_days{std::chrono::year{2030} / 1 / 1}).first);
        CHECK(*end + 1s == *begin + std::chrono::days{365});
    }
}

TEST_CASE("an expression of Quartz that is wrong is refused with the column and an example that is right")
{
    struct row {
        std::string text;
        std::string why;
    };
    auto const [text, why] = GENERATE(values<row>({
        {"", "column 1: it is empty; write for example '0 0 2 ? * MON-FRI'"},
        {"0 2 * * ?", "column 9: it has 5 fields; six (second minute hour day-of-month month day-of-week) or seven, "
                      "with the year last, are expected; write for example '0 0 2 ? * MON-FRI'"},
        {"@daily", "column 1: '@daily' is of the dialect crontab, and the schedule names quartz; write for example '0 "
                   "0 2 ? * MON-FRI'"},
        {"0 0 2 * * *", "day of week (column 11): one of the two day fields must be '?', since a date is named by only "
                        "one of them; write for example '0 0 2 ? * *'"},
        {"0 0 2 1 * 2", "day of week (column 11): one of the two day fields must be '?', since a date is named by only "
                        "one of them; write for example '0 0 2 1 * ?'"},
        {"0 0 2 ? * ?", "day of week (column 11): only one of the two day fields may be '?'; write for example '0 0 2 "
                        "* * ?'"},
        {"0 60 2 * * ?", "minute (column 3): '60' is not from 0 to 59; write for example '0/15'"},
        {"0 0/60 2 * * ?", "minute (column 5): the step in '0/60' must be at most 59; write for example '0/15'"},
        {"0 0 2 ? * 8", "day of week (column 11): '8' is not from 1 to 7; write for example 'MON-FRI'"},
        {"0 0 2 ? * 6#6", "day of week (column 13): the number in '6#6' must be from 1 to 5; write for example "
                          "'MON-FRI'"},
        {"0 0 2 ? * 6L,2", "day of week (column 11): L and # name one day of the week, not several; write for example "
                           "'6#3'"},
        {"0 0 2 ? * 6LL", "day of week (column 11): '6LL' is not such as 6L or 6#3; write for example '6L'"},
        {"0 0 2 L,15 * ?", "day of month (column 7): L and W name one day of the month, not several; write for example "
                           "'L'"},
        {"0 0 2 1-5W * ?", "day of month (column 7): the number in '1-5W' must be from 1 to 31; write for example "
                           "'1,15'"},
        {"0 0 2 LX * ?", "day of month (column 7): 'LX' is not such as L, L-3, LW or 15W; write for example 'L-3'"},
        {"0 0 2 L-31 * ?", "day of month (column 9): the number in 'L-31' must be from 0 to 30; write for example "
                           "'1,15'"},
        {"0 0 2 1 1 ? 2100", "year (column 13): '2100' is not from 1970 to 2099; write for example '2027-2030'"},
        {"0 0 2 1 1 ? 2030-2027", "year (column 13): the range '2030-2027' runs backwards; write for example "
                                  "'2027-2030'"},
        {"0 0 2 1 1 ? H", "year (column 13): a year cannot be hashed; write for example '2027-2030'"},
        {"0 0 2 30 2 ?", "day of month (column 7): it never fires: no month that it admits has such a day; write for "
                         "example '28'"},
        {"0 0 2 29 2 ? 2027", "day of month (column 7): it never fires: no month that it admits has such a day; write "
                              "for example '28'"},
        {"0 0 2 L-30 2 ?", "day of month (column 7): it never fires: no month that it admits has such a day; write for "
                           "example '28'"},
        {"0 0 2 ? 2 6#5 2027", "day of week (column 11): it never fires: no month that it admits has such a day; write "
                               "for example '6L'"},
    }));
    INFO(text);
    CHECK(refusal(text) == why);
}

TEST_CASE("a day that only a leap year has is accepted if the years have one")
{
    CHECK(refusal("0 0 2 29 2 ? 2028") == "accepted");
    CHECK(refusal("0 0 2 ? 2 6#5") == "accepted");
    CHECK(refusal("0 0 2 L-28 2 ?") == "accepted");
}

TEST_CASE("days of Quartz are described in words")
{
    CHECK(description("0 0 2 L * ?") == "at 02:00 on the last day of every month");
    CHECK(description("0 0 2 L-3 * ?") == "at 02:00 on 3 days before the last day of every month");
    CHECK(description("0 0 2 15W 3 ?") == "at 02:00 on the day from Monday to Friday nearest to day 15 of March");
    CHECK(description("0 0 2 LW * ?") ==
          "at 02:00 on the day from Monday to Friday nearest to the last day of every month");
    CHECK(description("0 0 2 ? * 6#3") == "at 02:00 on the third Friday of every month");
    CHECK(description("0 0 2 ? * 6L 2027-2029") == "at 02:00 on the last Friday of every month, in 2027 to 2029");
    CHECK(description("0 0 2 * * ? 2030") == "at 02:00 every day, in 2030");
}

} // namespace cron_quartz_test
