#include "cli/firings.hpp"

#include <catch2/catch.hpp>

namespace firings_test {

using namespace baton::cli;

TEST_CASE("a firing is shown in the machine's zone, and in the schedule's own zone beside it")
{
    nlohmann::json const firing{
        {"at", "2026-03-29T01:00:00.000000Z"}, {"local", "2026-03-29T03:00:00+02:00"}, {"clock_changed", true}};
    CHECK(firing_text(firing, "Europe/Berlin", times("Asia/Tokyo")) ==
          "2026-03-29 10:00:00.000 Asia/Tokyo, 2026-03-29 03:00:00 in Europe/Berlin (after a clock change)");
}

TEST_CASE("a firing whose zones show the same time is shown once")
{
    nlohmann::json const firing{
        {"at", "2026-07-01T10:00:00.000000Z"}, {"local", "2026-07-01T12:00:00+02:00"}, {"clock_changed", false}};
    CHECK(firing_text(firing, "Europe/Berlin", times("Europe/Paris")) == "2026-07-01 12:00:00.000 Europe/Paris");
}

TEST_CASE("a previewed firing says what the clock, the jitter and the calendars do to it")
{
    nlohmann::json firing{{"at", "2031-10-26T00:30:00.000000Z"},
                          {"local", "2031-10-26T02:30:00+02:00"},
                          {"clock_changed", false},
                          {"due_at", "2031-10-26T00:31:00.000000Z"},
                          {"clock", "first_of_two"},
                          {"left_out", {{"count", 1}, {"more", false}, {"calendars", {"a\x1b", "b"}}}}};
    auto const text = [&] { return preview_text(firing, "Europe/Berlin", times("Europe/Berlin")); };
    auto const shown = text();
    CHECK(shown.find(", due 2031-10-26 02:31:00.000") != std::string::npos);
    CHECK(shown.find(" (the clock shows this time twice: the first) (1 time before it is left out by a") !=
          std::string::npos);
    CHECK(shown.find('\x1b') == std::string::npos);
    firing["left_out"] = {{"count", 1000}, {"more", true}, {"calendars", {"b"}}};
    CHECK(text().find("(1000 and more times before it are left out by b)") != std::string::npos);
    firing["clock"] = "moved";
    firing["left_out"] = nullptr;
    firing["due_at"] = nullptr;
    CHECK(text() == "2031-10-26 02:30:00.000 Europe/Berlin (the clock skips the time that the schedule names)");
}

} // namespace firings_test
