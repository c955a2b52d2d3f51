#include "agent/check.hpp"
#include "libs/base/error.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace check_test {

using namespace baton;
namespace fs = std::filesystem;

namespace {

struct temporary {
    fs::path folder;
    temporary()
    {
        std::string name = (fs::temp_directory_path() / "baton-check-XXXXXX").string();
        folder = mkdtemp(name.data());
    }
    ~temporary() { fs::remove_all(folder); }
    std::string file(std::string const& name, std::string const& text, fs::perms mode = fs::perms(0600)) const
    {
        std::ofstream(folder / name) << text;
        fs::permissions(folder / name, mode);
        return (folder / name).string();
    }
};

std::vector<std::string> problems(agent::command what)
{
    agent::settings how;
    how.handlers["it"] = std::move(what);
    return agent::check(how).problems;
}

std::string only_problem(agent::command what)
{
    auto const found = problems(std::move(what));
    REQUIRE(found.size() == 1);
    return found[0];
}

} // namespace

TEST_CASE("a check finds nothing wrong with a command whose program, folder and user exist")
{
    temporary const here;
    auto const script = here.file("script", "#!/bin/sh\n", fs::perms(0700));
    CHECK(problems({.argv = {script}, .cwd = here.folder.string()}).empty());
    CHECK(problems({.argv = {"/bin/sh", "-c", "/none/such --x"}}).empty()); // a shell's words are not looked at
    CHECK(problems({.argv = {"found-in-path"}}).empty());
}

TEST_CASE("a check names a program that does not exist, is a folder or is not executable")
{
    temporary const here;
    CHECK(only_problem({.argv = {"/none/such"}}) ==
          "handlers.it.argv: '/none/such' does not exist: install the program, or correct the path");
    CHECK(only_problem({.argv = {here.folder.string()}}).find("is a folder") != std::string::npos);
    CHECK(only_problem({.argv = {here.file("plain", "text")}}).find("is not executable: `chmod +x`") !=
          std::string::npos);
}

TEST_CASE("a check names a working directory and a user that do not exist")
{
    temporary const here;
    CHECK(only_problem({.argv = {"/bin/sh"}, .cwd = "/none/such"}) ==
          "handlers.it.cwd: '/none/such' does not exist: make the folder, or name another");
    CHECK(only_problem({.argv = {"/bin/sh"}, .cwd = here.file("plain", "text")}).find("is not a folder") !=
          std::string::npos);
    CHECK(only_problem({.argv = {"/bin/sh"}, .user = "no-such-user"}) ==
          "handlers.it.user: user 'no-such-user' does not exist: make the account, or name another");
}

TEST_CASE("a check reports every problem, and those of a crontab with file, line and name")
{
    temporary const here;
    fs::create_directory(here.folder / "cron.d");
    agent::settings how;
    how.handlers["it"] = {.argv = {"/none/such"}, .cwd = "/none/such", .user = "no-such-user"};
    how.crontabs = {here.file("cron.d/tab", "# a line\n@daily no-such-user true\nSHELL=/none/sh\n@weekly root true\n")};
    auto const found = agent::check(how);
    REQUIRE(found.problems.size() == 5);
    CHECK(found.handlers == 3);
    CHECK(found.problems[3].starts_with(how.crontabs[0] + ": line 2 ("));
    CHECK(found.problems[3].ends_with("): user 'no-such-user' does not exist: make the account, or name another"));
    CHECK(found.problems[4].starts_with(how.crontabs[0] + ": line 4 ("));
    CHECK(found.problems[4].find("SHELL: '/none/sh' does not exist") != std::string::npos);
}

TEST_CASE("a check names a crontab that is given twice")
{
    temporary const here;
    agent::settings how;
    auto const file = here.file("tab", "@daily true\n");
    how.crontabs = {file, file};
    auto const found = agent::check(how);
    REQUIRE(found.problems.size() == 1);
    CHECK(found.problems[0].find("is offered already") != std::string::npos);
}

} // namespace check_test
