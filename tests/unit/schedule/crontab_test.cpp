#include "libs/schedule/cron.hpp"
#include "libs/schedule/crontab.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace crontab_test {
namespace {

using namespace baton::schedule;

crontab user(std::string const& text)
{
    return parse_crontab(text, crontab_form::user, "/var/spool/cron/crontabs/ada");
}

crontab_entry only(crontab const& read)
{
    REQUIRE(read.problems.empty());
    REQUIRE(read.entries.size() == 1);
    return read.entries.front();
}

std::string problem(std::string const& text, crontab_form form = crontab_form::user)
{
    auto const read = parse_crontab(text, form, "x");
    REQUIRE(read.problems.size() == 1);
    CHECK(read.entries.empty());
    return std::to_string(read.problems.front().line) + ": " + read.problems.front().why;
}

} // namespace

TEST_CASE("Debian's system crontab is read with its users and environment")
{
    auto const read = parse_crontab(R"(# /etc/crontab: system-wide crontab
SHELL=/bin/sh
PATH=/usr/local/sbin:/usr/local/bin:/sbin:/bin:/usr/sbin:/usr/bin

# m h dom mon dow user	command
17 *	* * *	root	cd / && run-parts --report /etc/cron.hourly
25 6	* * *	root	test -x /usr/sbin/anacron || { cd / && run-parts --report /etc/cron.daily; }
47 6	* * 7	root	test -x /usr/sbin/anacron || { cd / && run-parts --report /etc/cron.weekly; }
#
)",
                                    crontab_form::system, "/etc/crontab");
    CHECK(read.problems.empty());
    REQUIRE(read.entries.size() == 3);
    auto const& first = read.entries[0];
    CHECK(first.line == 6);
    CHECK(first.schedule == "17 * * * *");
    CHECK(first.user == "root");
    CHECK(first.command == "cd / && run-parts --report /etc/cron.hourly");
    CHECK(first.input.empty());
    CHECK(first.zone.empty());
    CHECK(first.environment.at("SHELL") == "/bin/sh");
    CHECK(first.environment.at("PATH") == "/usr/local/sbin:/usr/local/bin:/sbin:/bin:/usr/sbin:/usr/bin");
    CHECK(first.name.starts_with("crontab-"));
    CHECK(read.entries[1].name != first.name);
    CHECK(read.entries[2].schedule == "47 6 * * 7");
}

TEST_CASE("an entry of a user's crontab is a schedule and a command, without a user")
{
    auto const entry = only(user("  */5 * * * *   backup  --all  \n"));
    CHECK(entry.schedule == "*/5 * * * *");
    CHECK(entry.user.empty());
    CHECK(entry.command == "backup  --all");
    CHECK(entry.line == 1);
}

TEST_CASE("nicknames, comments, blank lines, carriage returns and a missing last new line are understood")
{
    auto const read = user("# comment\r\n\r\n   \t\n  # indented\n@daily one # not a comment\r\n@HOURLY two");
    REQUIRE(read.problems.empty());
    REQUIRE(read.entries.size() == 2);
    CHECK(read.entries[0].schedule == "@daily");
    CHECK(read.entries[0].command == "one # not a comment");
    CHECK(read.entries[0].line == 5);
    CHECK(read.entries[1].schedule == "@HOURLY");
    CHECK(read.entries[1].command == "two");
    CHECK(user("").entries.empty());
}

TEST_CASE("assignments hold for the entries below them, with quotes taken off")
{
    auto const read =
        user("A=1\nB = two words  \n'C' = \"  kept  \"\nD=\n@daily first\nA=$A:x # y\nE='it''s'\n@daily second\n");
    REQUIRE(read.entries.size() == 2);
    auto const& before = read.entries[0].environment;
    CHECK(before == std::map<std::string, std::string>{{"A", "1"}, {"B", "two words"}, {"C", "  kept  "}, {"D", ""}});
    CHECK(read.entries[1].environment.at("A") == "$A:x # y");
    REQUIRE(read.problems.size() == 1); // E is not well quoted
    CHECK(read.problems[0].line == 7);
}

TEST_CASE("a line with a schedule and a command that assigns variables is an entry, not an assignment")
{
    CHECK(only(user("0 5 * * * A=1 run")).command == "A=1 run");
    CHECK(only(user("@daily A=1 run")).command == "A=1 run");
    CHECK(only(user("* * * * * =")).command == "=");
}

TEST_CASE("a per cent sign ends the command and begins its input")
{
    auto const entry = only(user("0 0 * * * mail -s hello ada%Dear Ada,%%yours\\%%B\n"));
    CHECK(entry.command == "mail -s hello ada");
    CHECK(entry.input == "Dear Ada,\n\nyours%\nB\n");
}

TEST_CASE("an escaped per cent sign is a plain one and other backslashes stay")
{
    auto const entry = only(user("0 0 * * * date +\\%Y-\\%m \\n \\\\ C:\\x"));
    CHECK(entry.command == "date +%Y-%m \\n \\\\ C:\\x");
    CHECK(entry.input.empty());
    CHECK(only(user("0 0 * * * a\\\\%b")).input == "b\n"); // the backslash is escaped, not the sign
}

TEST_CASE("CRON_TZ sets the time zone of the entries below it until another value or an empty one")
{
    auto const read = user("@daily a\nCRON_TZ=Europe/Berlin\n@daily b\nCRON_TZ=Mars\n@daily c\nCRON_TZ=\n@daily "
                           "d\nTZ=Asia/Tokyo\n@daily e\n");
    REQUIRE(read.entries.size() == 4);
    CHECK(read.entries[0].zone.empty());
    CHECK(read.entries[1].zone == "Europe/Berlin");
    CHECK(read.entries[2].zone.empty());
    CHECK(read.entries[3].zone.empty()); // TZ is the command's business
    REQUIRE(read.problems.size() == 1);
    CHECK(read.problems[0].line == 5);
    CHECK(read.problems[0].why == "CRON_TZ 'Mars' is not a time zone");
}

TEST_CASE("a line without a usable entry is reported with its number, and the others are read")
{
    CHECK(problem("@every 90s run").find("`baton task add --every 90s`") != std::string::npos);
    CHECK(problem("\n@reboot run") ==
          "2: column 1: @reboot is not a time of the calendar; it has no next firing; write for example '@daily'");
    CHECK(problem("@sometimes run") == "1: column 1: '@sometimes' is not one of @hourly, @daily, @midnight, @weekly, "
                                       "@monthly, @yearly and @annually; write for example '@daily'");
    CHECK(problem("61 * * * * run") == "1: minute (column 1): '61' is not from 0 to 59; write for example '*/15'");
    CHECK(problem("0 0 30 2 * run") ==
          "1: day of month (column 5): it never fires: no month that it admits has such a day; write for example '28'");
    CHECK(problem("* * * * *") == "1: it has no command");
    CHECK(problem("@daily") == "1: it has no command");
    CHECK(problem("hello there") == "1: it is neither five fields and a command nor NAME=value");
    CHECK(problem("=x") == "1: it is neither five fields and a command nor NAME=value");
    CHECK(problem("@daily", crontab_form::system) == "1: it has no user and no command");
    CHECK(problem("@daily root", crontab_form::system) == "1: it has no command");
    auto const read = user("61 * * * * a\n* * * * * b\n");
    CHECK(read.problems.size() == 1);
    CHECK(read.entries.size() == 1);
}

TEST_CASE("the schedule of every crontab entry parses as a cron expression")
{
    for (auto const& entry : user("@Daily a\n0  5 * *\tsun b\n*/5 * * * * c\n").entries)
        CHECK_NOTHROW(cron::parse(entry.schedule));
}

TEST_CASE("the name of an entry stays when lines move or its schedule changes, and differs when the job differs")
{
    auto const before = user("@daily /usr/bin/backup --all\n@daily report\n");
    auto const after = user("# new\nA=1\n@hourly report\n\n@daily   /usr/bin/backup --all\n");
    CHECK(before.entries[0].name == after.entries[1].name);
    CHECK(before.entries[1].name == after.entries[0].name);
    CHECK(before.entries[0].name != before.entries[1].name);
    auto const name = only(user("@daily report")).name;
    CHECK(name != only(user("@daily report --all")).name);
    CHECK(name != only(user("@daily report%x")).name);
    CHECK(name != only(parse_crontab("@daily ada report", crontab_form::system, "ada")).name);
}

TEST_CASE("the name of an entry stays the same between releases, since it identifies the task")
{
    CHECK(only(user("@daily report")).name == "ada-bc3b74b2");
}

TEST_CASE("the names of repeated entries end with a number")
{
    auto const read = user("@daily report\n@daily report\n@daily report\n");
    REQUIRE(read.entries.size() == 3);
    auto const name = crontab_name(read.entries[0], "ada");
    CHECK(read.entries[0].name == name);
    CHECK(read.entries[1].name == name + "-2");
    CHECK(read.entries[2].name == name + "-3");
}

TEST_CASE("the name of an entry shows nothing of the command, which may be secret")
{
    auto const command = std::string{"TOKEN=abc mysqldump -u root -phunter2 shop | gzip > /srv/shop.gz%to stdin"};
    auto const name = only(user("0 3 * * * " + command)).name;
    CHECK(name.size() == std::string{"ada-12345678"}.size());
    CHECK(name.starts_with("ada-"));
    CHECK(name.find_first_not_of("0123456789abcdef", 4) == std::string::npos);
}

TEST_CASE("the name of an entry has at most 41 characters: letters, digits and dashes")
{
    for (auto const& source : {std::string{"/etc/cron.d/" + std::string(200, 'y')}, std::string(32, 'y') + ".cron",
                               std::string{}, std::string{"../ü"}}) {
        auto const name = only(parse_crontab("@daily rm -rf 'ü'", crontab_form::user, source)).name;
        INFO(name);
        CHECK(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos);
        CHECK(name.size() <= 41);
        CHECK(name.front() != '-');
    }
}

TEST_CASE("a crontab of the user form may have a user column if every command begins with an account and goes on")
{
    auto const found = [](char const* text, crontab_form form = crontab_form::user) {
        return may_have_users(parse_crontab(text, form, "tab"),
                              [](std::string const& name) { return name == "root" || name == "games"; });
    };
    CHECK(found("@daily root true\n5 4 * * * games play now\n"));
    CHECK_FALSE(found("@daily root true\n@daily true\n"));
    CHECK_FALSE(found("@daily games\n")); // a program of that name
    CHECK_FALSE(found("@daily root true\n", crontab_form::system));
    CHECK_FALSE(found("# nothing\n"));
}

TEST_CASE("the form of a crontab is guessed from the path of the file")
{
    CHECK(guess_form("/etc/crontab") == crontab_form::system);
    CHECK(guess_form("/etc/cron.d/e2scrub_all") == crontab_form::system);
    CHECK(guess_form("examples/cron.d/backup") == crontab_form::system);
    CHECK(guess_form("/var/spool/cron/crontabs/ada") == crontab_form::user);
    CHECK(guess_form("crontab") == crontab_form::user);
    CHECK(guess_form("my.cron") == crontab_form::user);
}

} // namespace crontab_test
