#include "cli/misfire_options.hpp"
#include "cli/span.hpp"
#include "libs/protocol/misfire.hpp"
#include "libs/protocol/task.hpp"

#include <CLI/CLI.hpp>
#include <catch2/catch.hpp>

namespace span_test {

using namespace baton;
using namespace baton::cli;
using nlohmann::json;

namespace {

std::string refusal(std::string const& text, duration least, duration longest)
{
    try {
        option_span("--pause", text, least, longest);
    } catch (CLI::ValidationError const& wrong) {
        return wrong.what();
    }
    return "";
}

json misfire_after(std::string const& arguments)
{
    CLI::App command;
    misfire_options chosen;
    add_misfire_options(command, chosen);
    command.parse(arguments);
    return misfire_of(chosen);
}

} // namespace

TEST_CASE("a span is written in its two largest units")
{
    CHECK(span_text(0) == "0 ms");
    CHECK(span_text(312) == "312 ms");
    CHECK(span_text(4'250) == "4.2 s");
    CHECK(span_text(687'614) == "11 min 28 s");
    CHECK(span_text(120'000) == "2 min");
    CHECK(span_text(3'600'000 * 3 + 300'000) == "3 h 5 min");
    CHECK(span_text(86'400'000LL * 2 + 3'600'000 * 4) == "2 d 4 h");
    CHECK(span_cell({{"gap_ms", nullptr}}, "gap_ms") == "-");
    CHECK(span_cell({{"gap_ms", 500}}, "gap_ms") == "500 ms");
}

TEST_CASE("an option's span is read with its bounds, and a refusal names the option and the bounds")
{
    CHECK(option_span("--pause", "1s", 1s, 1h) == 1'000);
    CHECK(option_span("--pause", "1h", 1s, 1h) == 3'600'000);
    CHECK(refusal("999ms", 1s, 1h) == "--pause: must be from 1s to 1h, not 999ms");
    CHECK(refusal("2h", 0s, 1h) == "--pause: must be at most 1h, not 2h");
    CHECK_THAT(refusal("soon", 0s, 1h), Catch::StartsWith("--pause: ") && Catch::Contains("soon"));
}

TEST_CASE("the actions of a misfire policy on the command line are those of the protocol")
{
    for (auto const action : protocol::names_of<protocol::misfire_action>)
        CHECK(misfire_after("--misfire " + std::string(action)).at("action") == action);
    CHECK_THROWS_AS(misfire_after("--misfire later"), CLI::ValidationError);
    CHECK(misfire_after("--misfire fire_all --misfire-within 366d").at("within_ms") == protocol::longest_span / 1ms);
    CHECK_THROWS_AS(misfire_after("--misfire fire_all --misfire-within 367d"), CLI::ValidationError);
    CHECK_THROWS_AS(misfire_after("--misfire-after 25h"), CLI::ValidationError);
    CHECK_THROWS_AS(misfire_after("--misfire skip --misfire-limit 5"), CLI::ValidationError);
}

} // namespace span_test
