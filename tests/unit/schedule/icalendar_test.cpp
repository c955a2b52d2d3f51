#include "libs/base/error.hpp"
#include "libs/schedule/icalendar.hpp"

#include <catch2/catch.hpp>

namespace icalendar_test {
namespace {

using namespace baton;

auto const now = from_rfc3339("2026-06-01T12:00:00Z");

std::string file(std::string const& events)
{
    std::string text = "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//test//\n" + events + "END:VCALENDAR\n";
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2)
        text.replace(at, 1, "\r\n");
    return text;
}

std::string event(std::string const& lines)
{
    return "BEGIN:VEVENT\nUID:1\nSUMMARY:the event\n" + lines + "END:VEVENT\n";
}

nlohmann::json dates(std::string const& text)
{
    protocol::calendar_content content;
    content.dates = schedule::whole_days(text, now);
    return protocol::to_json(content).at("dates");
}

std::string refusal(std::string const& text)
{
    try {
        dates(text);
        return "none";
    } catch (invalid_input const& wrong) {
        CHECK(wrong.field() == "icalendar");
        return wrong.what();
    }
}

} // namespace

TEST_CASE("events of whole days become dates: of one day, of several, and by their duration")
{
    CHECK(dates(file(event("DTSTART;VALUE=DATE:20261225\n") +
                     event("DTSTART;VALUE=DATE:20261230\nDTEND;VALUE=DATE:20270102\n") +
                     event("DTSTART;VALUE=DATE:20270501\nDURATION:P2D\n"))) ==
          nlohmann::json{"2026-12-25", "2026-12-30/2027-01-01", "2027-05-01/2027-05-02"});
}

TEST_CASE("an event that ends before it begins is refused, and one that ends on its day has that day")
{
    CHECK_THAT(refusal(file(event("DTSTART;VALUE=DATE:20261225\nDTEND;VALUE=DATE:20261224\n"))),
               Catch::Contains("the event 'the event' ends before it begins"));
    CHECK(dates(file(event("DTSTART;VALUE=DATE:20261225\nDTEND;VALUE=DATE:20261225\n"))) ==
          nlohmann::json{"2026-12-25"});
}

TEST_CASE("a day that recurs is followed for ten years, from a year ago on")
{
    auto const found = dates(file(event("DTSTART;VALUE=DATE:20100501\nRRULE:FREQ=YEARLY\n")));
    CHECK(found.size() == 11); // 2026 to 2036
    CHECK(found.front() == "2026-05-01");
    CHECK(found.back() == "2036-05-01");
    CHECK(dates(file(event("DTSTART;VALUE=DATE:20261126\nRRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=4TH;COUNT=2\n"))) ==
          nlohmann::json{"2026-11-26", "2027-11-25"});
}

TEST_CASE("days can be added to an event and left out of it")
{
    CHECK(dates(file(event("DTSTART;VALUE=DATE:20270101\nRRULE:FREQ=DAILY;COUNT=3\n"
                           "EXDATE;VALUE=DATE:20270102\nRDATE;VALUE=DATE:20270110\n"))) ==
          nlohmann::json{"2027-01-01", "2027-01-03", "2027-01-10"});
}

TEST_CASE("what is not of whole days is refused, and the event is named")
{
    CHECK(refusal(file(event("DTSTART:20261225T120000Z\n"))).find("'the event'") != std::string::npos);
    CHECK(refusal(file(event("DTSTART;VALUE=DATE:20261225\nDTEND:20261226T120000Z\n"))).find("whole days") !=
          std::string::npos);
    CHECK(refusal(file(event("DTSTART;VALUE=DATE:20261225\nRRULE:FREQ=HOURLY;COUNT=3\n"))).find("within a day") !=
          std::string::npos);
    CHECK(refusal("no calendar").find("BEGIN:VCALENDAR") != std::string::npos);
    CHECK(refusal("") != "none");
    CHECK(refusal(file("")).find("no event") != std::string::npos);
    CHECK(refusal(file(event("DTSTART;VALUE=DATE:20100101\n"))).find("no event") != std::string::npos);
}

TEST_CASE("a cancelled event is left out, and one that takes the place of an occurrence replaces it")
{
    CHECK(dates(file(event("DTSTART;VALUE=DATE:20261224\nSTATUS:CANCELLED\n") +
                     event("DTSTART;VALUE=DATE:20261226\n"))) == nlohmann::json{"2026-12-26"});
    CHECK(dates(file(event("DTSTART;VALUE=DATE:20270501\nRRULE:FREQ=YEARLY;COUNT=3\n") +
                     event("RECURRENCE-ID;VALUE=DATE:20280501\nDTSTART;VALUE=DATE:20280503\n"))) ==
          nlohmann::json{"2027-05-01", "2028-05-03", "2029-05-01"});
    CHECK(dates(file(event("DTSTART;VALUE=DATE:20270501\nRRULE:FREQ=YEARLY;COUNT=3\n") +
                     event("RECURRENCE-ID;VALUE=DATE:20280501\nDTSTART;VALUE=DATE:20280501\nSTATUS:CANCELLED\n"))) ==
          nlohmann::json{"2027-05-01", "2029-05-01"});
}

TEST_CASE("a line of days that cannot be read is refused, and one of other things is not")
{
    CHECK(refusal(file(event("DTSTART;VALUE=DATE:20270501\nRRULE:FREQ=FOO\n"))).find("RRULE") != std::string::npos);
    CHECK(refusal(file(event("DTSTART;VALUE=DATE:20270501\nEXRULE:FREQ=DAILY\n"))).find("EXRULE") != std::string::npos);
    CHECK(dates(file(event("DTSTART;VALUE=DATE:20270501\nDESCRIPTION:\nLOCATION:\n"))) == nlohmann::json{"2027-05-01"});
}

TEST_CASE("the end of a recurrence by a date belongs to it")
{
    CHECK(dates(file(event("DTSTART;VALUE=DATE:20270501\nRRULE:FREQ=YEARLY;UNTIL=20280501\n"))) ==
          nlohmann::json{"2027-05-01", "2028-05-01"});
    CHECK(dates(file(event("DTSTART;VALUE=DATE:20270501\nRRULE:FREQ=YEARLY;UNTIL=20280430T220000Z\n"))) ==
          nlohmann::json{"2027-05-01"});
}

TEST_CASE("the search for the recurrences of a whole file is bounded")
{
    std::string old;
    for (int i = 0; i < 300; ++i)
        old += event("DTSTART;VALUE=DATE:17530101\nRRULE:FREQ=DAILY;UNTIL=20240101\n");
    CHECK(refusal(file(old)).find("recur too often") != std::string::npos);
    std::string never;
    for (int i = 0; i < 300; ++i)
        never += event("DTSTART;VALUE=DATE:20270101\nRRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30\n");
    CHECK(refusal(file(never)).find("recur too often") != std::string::npos);
    std::string yearly;
    for (int i = 0; i < 300; ++i)
        yearly += event("DTSTART;VALUE=DATE:19700101\nRRULE:FREQ=YEARLY\n");
    CHECK(dates(file(yearly)).size() == 11);
}

} // namespace icalendar_test
