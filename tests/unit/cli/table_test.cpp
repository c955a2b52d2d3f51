#include "cli/table.hpp"

#include <catch2/catch.hpp>

#include <sstream>

namespace table_test {

using namespace baton;
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

TEST_CASE("a table without rows says that there are none")
{
    std::ostringstream out;
    table({"NAME", "STATE"}).print(out);
    CHECK(out.str() == "NAME  STATE\nnone\n");
}

namespace {

std::string printed(table const& shown, terminal const& to)
{
    std::ostringstream out;
    shown.print(out, to);
    return out.str();
}

} // namespace

TEST_CASE("on a terminal the widest column of free text is cut, and names are whole")
{
    table shown({"NAME", "SCHEDULE", "REASON"});
    shown.add({"a-long-name-of-a-task", "every 5 seconds", "größe größe größe größe"});
    CHECK(printed(shown, {56, false}) == "NAME                   SCHEDULE         REASON\n"
                                         "a-long-name-of-a-task  every 5 seconds  größe größe grö…\n");
    CHECK(printed(shown, {46, false}).find("a-long-name-of-a-task  every 5 s…  größe größ…\n") != std::string::npos);
    CHECK(printed(shown, {10, false}).find("a-long-name-of-a-task  every 5…  größe g…\n") != std::string::npos);
    auto const whole = "a-long-name-of-a-task  every 5 seconds  größe größe größe größe\n";
    CHECK(printed(shown, {200, false}).find(whole) != std::string::npos);
    CHECK(printed(shown, {}).find(whole) != std::string::npos); // a pipe
}

TEST_CASE("a narrow terminal gets short times and loses the least useful columns before names are touched")
{
    table shown({"ID", "TASK", "SCHEDULED (Europe/Berlin)", "CAUSE", "GAP (ms)", "REASON"});
    shown.when_narrow({"CAUSE", "SCHEDULED"}, "2026-11-25");
    shown.add(
        {"471100000000000000", "close-day", "2026-11-25 12:00:00.250", "schedule", "5", "no client of service x"});
    shown.add({"471100000000000001", "close-day", "2026-11-24 12:00:00.250", "manual", "7", "-"});
    CHECK(printed(shown, {200, false}).find("2026-11-25 12:00:00.250    schedule") != std::string::npos);
    CHECK(printed(shown, {}).find("SCHEDULED (Europe/Berlin)") != std::string::npos); // a pipe
    auto const narrow = printed(shown, {84, false});
    CHECK(narrow == "ID                  TASK       SCHEDULED            GAP (ms)  REASON\n"
                    "471100000000000000  close-day  12:00:00             5         no client of service x\n"
                    "471100000000000001  close-day  2026-11-24 12:00:00  7         -\n"
                    "(times in Europe/Berlin)\n");
    CHECK(printed(shown, {60, false})
              .starts_with("ID                  TASK       GAP (ms)  REASON\n"
                           "471100000000000000  close-day  5         no client of servi…\n"));
    CHECK(times("Europe/Berlin").day(from_rfc3339("2026-11-24T23:30:00Z")) == "2026-11-25");
}

TEST_CASE("instances are whole at 80 columns: other columns are left out, and free text is cut, before them")
{
    std::string const instance = "billing-worker-7f9c6d5b48-x2x9z.payments.svc-4242-c0ffee";
    table shown({"SERVICE", "INSTANCE", "ADDRESS", "REACH", "HANDLERS"});
    shown.when_narrow({"ADDRESS", "HANDLERS"});
    shown.add({"billing", instance, "http://10.0.0.17:9000", "ok", "close-day, open-day, send-invoices"});
    CHECK(printed(shown, {80, false}) == "SERVICE  INSTANCE" + std::string(instance.size() - 8, ' ') + "  REACH\n" +
                                             "billing  " + instance + "  ok\n");
    CHECK(printed(shown, {100, false}).find(instance + "  ok     close-day, open-day, send…\n") != std::string::npos);
    table attempts({"ATTEMPT", "CLIENT", "ERROR"});
    attempts.add({"1", instance, "the connection to the database was refused"});
    CHECK(printed(attempts, {80, false}).find(instance + "  the connecti…") != std::string::npos);
}

TEST_CASE("colour marks the titles and the states, and no text of others")
{
    table shown({"STATE", "REASON"});
    shown.add({"failed", "failed"});
    CHECK(printed(shown, {80, true}) == "\x1b[1mSTATE\x1b[0m   \x1b[1mREASON\x1b[0m\n\x1b[31mfailed\x1b[0m  failed\n");
    CHECK(printed(shown, {80, false}).find('\x1b') == std::string::npos);
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
