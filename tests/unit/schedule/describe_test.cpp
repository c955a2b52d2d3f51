#include "libs/base/error.hpp"
#include "libs/schedule/schedule.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace describe_test {

using namespace baton;
using namespace baton::schedule;
using protocol::schedule_kind;

TEST_CASE("the description of a cron expression is plain English")
{
    struct row {
        std::string expression;
        std::string meaning;
    };
    auto const [expression, meaning] = GENERATE(values<row>({
        {"* * * * *", "every minute"},
        {"*/5 * * * *", "every 5 minutes"},
        {"@hourly", "every hour"},
        {"30 * * * *", "at minute 30 of every hour"},
        {"0,30 * * * *", "every 30 minutes"},
        {"5,35 * * * *", "at minutes 5 and 35 of every hour"},
        {"*/25 * * * *", "at minutes 0, 25 and 50 of every hour"},
        {"0 */2 * * *", "every 2 hours"},
        {"15 */2 * * *", "every 2 hours, at minute 15"},
        {"0 */5 * * *", "at 00:00, 05:00, 10:00, 15:00 and 20:00 every day"},
        {"30 2 * * *", "at 02:30 every day"},
        {"30 2 * * 1", "at 02:30 on Monday"},
        {"0 9,17 * * 1-5", "at 09:00 and 17:00 on Monday to Friday"},
        {"*/10 9-17 * * mon-fri", "every 10 minutes from 09:00 to 17:59 on Monday to Friday"},
        {"0 9-17 * * *", "every hour from 09:00 to 17:00"},
        {"* 2 * * *", "every minute from 02:00 to 02:59"},
        {"* 2,4 * * *", "every minute in the hours 2 and 4"},
        {"*/10 */2 * * *", "every 10 minutes in the hours 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20 and 22"},
        {"7 1,5,9,13,17,21,22 * * *", "at minute 7 in the hours 1, 5, 9, 13, 17, 21 and 22"},
        {"0 1,5,9,13,17,21,22 * * *", "on the hour in the hours 1, 5, 9, 13, 17, 21 and 22"},
        {"7,8 8-18 * * 3", "at minutes 7 and 8 of every hour from 08:00 to 18:59 on Wednesday"},
        {"0 0 1 * *", "at 00:00 on day 1 of every month"},
        {"0 0 1,15 * *", "at 00:00 on days 1 and 15 of every month"},
        {"0 0 1 1 *", "at 00:00 on day 1 of January"},
        {"0 0 13 * fri", "at 00:00 on day 13 of every month or on Friday"},
        {"0 0 13 6 fri", "at 00:00 on day 13 of June or on Friday in June"},
        {"0 0 13 * */7", "at 00:00 on day 13 of every month if it is Sunday"},
        {"0 0 * 6-8 *", "at 00:00 every day in June to August"},
        {"*/5 * * dec *", "every 5 minutes in December"},
        {"0 0 * 6-8 sat,sun", "at 00:00 on Sunday and Saturday in June to August"},
        {"0 0 1-31 * 5", "at 00:00 every day"},
        {"* * * * * *", "every second"},
        {"*/10 * * * * *", "every 10 seconds"},
        {"30 * * * * *", "at second 30 of every minute"},
        {"30 15 4 * * *", "at 04:15:30 every day"},
        {"*/20 15 * * * *", "every 20 seconds in minute 15 of every hour"},
        {"5,10 */30 3 * * *", "at seconds 5 and 10 in minutes 0 and 30 from 03:00 to 03:59"},
        {"30 * 3 * * *", "at second 30 of every minute from 03:00 to 03:59"},
    }));
    INFO(expression);
    CHECK(describe_cron(cron::parse(expression)) == meaning);
    CHECK(describe({.kind = schedule_kind::cron, .cron = expression, .zone = "Europe/Berlin"}) ==
          meaning + " in Europe/Berlin");
}

TEST_CASE("the description of a fixed rate, a fixed delay or a single instant names its start and its end")
{
    auto const noon = from_rfc3339("2026-06-01T12:00:00Z");
    CHECK(describe({}) == "only when it is asked for");
    CHECK(describe({.kind = schedule_kind::once, .at = noon + 1ms}) == "once, at 2026-06-01T12:00:00.001000Z");
    CHECK(describe({.kind = schedule_kind::fixed_rate, .every = 5min}) == "every 5 minutes");
    CHECK(describe({.kind = schedule_kind::fixed_rate, .every = 1s}) == "every second");
    CHECK(describe({.kind = schedule_kind::fixed_rate, .every = 90min}) == "every 1 hour and 30 minutes");
    CHECK(describe({.kind = schedule_kind::fixed_rate, .every = 26h + 1s + 5us}) ==
          "every 1 day, 2 hours, 1 second and 5 microseconds");
    CHECK(describe({.kind = schedule_kind::fixed_rate, .every = 250ms, .start_at = noon, .end_at = noon + 1h}) ==
          "every 250 milliseconds, from 2026-06-01T12:00:00Z, before 2026-06-01T13:00:00Z");
    CHECK(describe({.kind = schedule_kind::fixed_delay, .every = 1min}) ==
          "1 minute after the end of the previous run");
}

TEST_CASE("a wrong cron expression has no description")
{
    CHECK_THROWS_AS(describe({.kind = schedule_kind::cron, .cron = "60 * * * *"}), invalid_input);
}

} // namespace describe_test
