#include "cli/wall_options.hpp"

#include <catch2/catch.hpp>

namespace wall_options_test {

using namespace baton::cli;
using nlohmann::json;

TEST_CASE("days of the week are single names and ranges, which may go over Sunday")
{
    CHECK(days_of("mon", "--days") == json{"mon"});
    CHECK(days_of("mon-wed,sun", "--days") == json{"mon", "tue", "wed", "sun"});
    CHECK(days_of("sat-mon", "--days") == json{"sat", "sun", "mon"});
    CHECK(days_of("mon-sun", "--days").size() == 7);
    for (auto const* const wrong : {"Monday", "mon-", "-mon", "mon-tue-wed", "mon,,tue", " mon"})
        CHECK_THROWS_AS(days_of(wrong, "--days"), CLI::ValidationError);
}

TEST_CASE("a calendar interval is a number and a unit, of which one may be in the singular")
{
    wall_options chosen;
    auto const unit = [&](char const* text) {
        chosen.calendar = text;
        auto const schedule = calendar_schedule(chosen);
        return schedule.at("every").dump() + " " + schedule.at("unit").get<std::string>();
    };
    CHECK(unit("3 months") == "3 months");
    CHECK(unit("1 week") == "1 weeks");
    CHECK(unit(" 2  days ") == "2 days");
    for (auto const* const wrong : {"months", "3", "3 months ago", "x days", "99999999999 days"})
        CHECK_THROWS_AS(unit(wrong), CLI::ValidationError);
    chosen.calendar = "1 month";
    chosen.on = "15";
    chosen.roll = "next_business_day";
    CHECK(calendar_schedule(chosen) == json{{"kind", "calendar"},
                                            {"every", 1},
                                            {"unit", "months"},
                                            {"time", "00:00"},
                                            {"on", "15"},
                                            {"roll", "next_business_day"}});
}

} // namespace wall_options_test
