#include "cli/table.hpp"

#include <catch2/catch.hpp>

#include <sstream>

namespace table_test {

using namespace baton::cli;

TEST_CASE("columns line up by characters, not bytes, and missing cells are blank")
{
    table shown({"NAME", "STATE"});
    shown.add({"größe", "up"});
    shown.add({"x", ""});
    std::ostringstream out;
    shown.print(out);
    CHECK(out.str() == "NAME   STATE\ngröße  up\nx      \n");
}

TEST_CASE("control characters reach the terminal neither from a cell, nor from a member, nor as JSON")
{
    std::string const name = "a\x1b[2Jb\nc\x7f\xc2\x9b";
    table shown({"NAME"});
    shown.add({name});
    std::ostringstream out;
    shown.print(out);
    CHECK(out.str() == "NAME\na?[2Jb?c??\n");

    CHECK(cell({{"name", name}}, "name") == "a?[2Jb?c??");
    CHECK(cell({{"names", {name}}}, "names") == "[\"a\\u001b[2Jb\\nc??\"]");

    std::ostringstream text;
    print_json(text, {{"name", name}});
    CHECK(text.str() == "{\n  \"name\": \"a\\u001b[2Jb\\nc\\u007f\\u009b\"\n}\n");
}

TEST_CASE("times are shown on the clock of a zone, which is named")
{
    nlohmann::json const row{{"s", "2026-07-01T22:30:00.123456Z"},
                             {"w", "2026-01-01T22:30:00.000000Z"},
                             {"n", nullptr},
                             {"x", "2026-13-01T22:30:00.000000Z"}};
    times const berlin("Europe/Berlin");
    CHECK(berlin.title("ENDED") == "ENDED (Europe/Berlin)");
    CHECK(berlin.cell(row, "s") == "2026-07-02 00:30:00.123");
    CHECK(berlin.cell(row, "w") == "2026-01-01 23:30:00.000");
    CHECK(berlin.text(row, "s") == "2026-07-02 00:30:00.123 Europe/Berlin");
    CHECK(berlin.text(row, "n") == "-");
    CHECK(berlin.text(row, "x") == "2026-13-01T22:30:00.000000Z");
    CHECK(times("UTC").text(row, "s") == "2026-07-01 22:30:00.123 UTC");
}

TEST_CASE("cells show strings without quotes, null as a dash, and times without the T")
{
    nlohmann::json const row{{"a", "x"}, {"b", nullptr}, {"c", 5}, {"d", true}, {"t", "2026-03-29T01:30:00.123456Z"}};
    CHECK(cell(row, "a") == "x");
    CHECK(cell(row, "b") == "-");
    CHECK(cell(row, "missing") == "-");
    CHECK(cell(row, "c") == "5");
    CHECK(cell(row, "d") == "yes");
    CHECK(time_cell(row, "t") == "2026-03-29 01:30:00.123");
    CHECK(time_cell(row, "b") == "-");
}

} // namespace table_test
