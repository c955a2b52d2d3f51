#include "agent/account.hpp"
#include "agent/command.hpp"
#include "libs/base/process.hpp"
#include "libs/base/time.hpp"
#include "tests/unit/agent/command_stage.hpp"

#include <catch2/catch.hpp>

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace command_test {

using namespace baton;
using namespace baton::agent;
using namespace baton::test;

TEST_CASE("a command's outcome has its exit status and both of its outputs")
{
    auto const ended = run(shell("echo out; echo err >&2; exit 3"));
    CHECK(ended.exit == 3);
    CHECK_FALSE(ended.signal);
    CHECK_FALSE(ended.succeeded());
    CHECK(ended.out.text() == "out\n");
    CHECK(ended.err.text() == "err\n");
    CHECK(ended.reason() == "exit status 3");
}

TEST_CASE("input of any size reaches the command unchanged, with NUL bytes")
{
    auto how = shell("wc -c");
    how.input = std::string(1'000'000, '\0');
    CHECK(run(how).out.text() == "1000000\n");
}

TEST_CASE("a command that reads no input ends normally")
{
    auto how = shell("exec 0<&-; echo done");
    how.input = std::string(1'000'000, 'x');
    auto const ended = run(how);
    CHECK(ended.succeeded());
    CHECK(ended.out.text() == "done\n");
}

TEST_CASE("output beyond the limit is cut in the middle, and the command runs on")
{
    auto how = shell("i=0; while [ $i -lt 20000 ]; do echo \"number $i\"; i=$((i+1)); done; exit 4");
    how.output_limit = 1'024;
    auto const ended = run(how);
    CHECK(ended.exit == 4);
    auto const text = ended.out.text();
    CHECK(text.starts_with("number 0\n"));
    CHECK(text.ends_with("number 19999\n"));
    CHECK(text.size() < 1'200);
}

TEST_CASE("the outcome names the signal that ended a command")
{
    auto const ended = run(shell("kill -9 $$"));
    CHECK_FALSE(ended.exit);
    CHECK(ended.signal == 9);
    CHECK(ended.reason() == "killed by signal 9 (Killed)");
}

TEST_CASE("a missing program, folder or user is reported, and no process remains")
{
    call how;
    how.what.argv = {"/no/such/program"};
    CHECK(run(how).reason() == "cannot be started: /no/such/program: No such file or directory");
    how.what.argv = {"no-such-program"};
    CHECK(run(how).failure == "no-such-program: No such file or directory");
    how.what.argv = {"/etc/passwd"};
    CHECK(run(how).failure == "/etc/passwd: Permission denied");
    how = shell("true");
    how.what.cwd = "/no/such/folder";
    CHECK(run(how).failure == "folder /no/such/folder: No such file or directory");
    how = shell("true");
    how.what.user = "no-such-user";
    CHECK(run(how).failure == "user 'no-such-user' does not exist");
    CHECK_FALSE(run(how).exit);
}

TEST_CASE("a program without a slash is found in the command's own PATH")
{
    scratch here;
    std::ofstream(here.file("hello")) << "#!/bin/sh\necho hello\n";
    chmod(here.file("hello").c_str(), 0755);
    call how;
    how.what.argv = {"hello"};
    how.what.env["PATH"] = here.folder.string() + ":/usr/bin:/bin";
    CHECK(run(how).out.text() == "hello\n");
}

TEST_CASE("a command has its own folder and environment, without the agent's settings")
{
    setenv("BATON_TOKEN", "secret", 1);
    setenv("INHERITED", "yes", 1);
    auto how = shell("pwd; echo \"$INHERITED $OWN $RUN ${BATON_TOKEN-none}\"");
    how.what.cwd = "/usr";
    how.what.env = {{"OWN", "one two"}, {"RUN", "overridden"}};
    how.env = {{"RUN", "3"}};
    CHECK(run(how).out.text() == "/usr\nyes one two 3 none\n");
    unsetenv("BATON_TOKEN");
    unsetenv("INHERITED");
}

TEST_CASE("a command inherits no variable that holds a secret")
{
    std::map<std::string, std::string> const secrets{{"BATON_TOKEN_FILE", "/etc/baton/client-token"},
                                                     {"MYSQL_PWD", "x"},
                                                     {"PGPASSWORD", "x"},
                                                     {"GITHUB_TOKEN", "x"},
                                                     {"AWS_SECRET_KEY", "x"},
                                                     {"service_password", "x"},
                                                     {"CREDENTIALS_DIRECTORY", "/run/credentials"},
                                                     {"SERVICE_API_KEY", "x"},
                                                     {"DATABASE_URL", "mysql://u:x@h/d"},
                                                     {"HTTPS_PROXY", "http://me:x@proxy:3128/"}};
    std::map<std::string, std::string> const others{{"PAGE", "http://host:80/a:b@c"}, {"KEYBOARD", "us"}, {"PWD", "/"}};
    for (auto const& [name, value] : secrets)
        setenv(name.c_str(), value.c_str(), 1);
    for (auto const& [name, value] : others)
        setenv(name.c_str(), value.c_str(), 1);
    auto how = shell("env");
    how.what.env = {{"GIVEN_PASSWORD", "y"}};
    auto const seen = "\n" + run(how).out.text();
    for (auto const& [name, value] : secrets)
        CHECK_THAT(seen, !Catch::Contains("\n" + name + "="));
    for (auto const& [name, value] : others)
        CHECK_THAT(seen, Catch::Contains("\n" + name + "="));
    CHECK_THAT(seen, Catch::Contains("\nGIVEN_PASSWORD=y\n")); // the configuration of the command names it
    for (auto const& [name, value] : secrets)
        unsetenv(name.c_str());
    for (auto const& [name, value] : others)
        unsetenv(name.c_str());
}

TEST_CASE("a command gets the limit of open files that the agent began with")
{
    rlimit before{};
    REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
    rlimit const low{100, before.rlim_max};
    REQUIRE(setrlimit(RLIMIT_NOFILE, &low) == 0);
    raise_file_limit();
    CHECK(run(shell("ulimit -n")).out.text() == "100\n");
    setrlimit(RLIMIT_NOFILE, &before);
}

TEST_CASE("a cron-like command gets cron's environment and the home folder")
{
    auto how = shell("echo $PATH $SHELL; [ \"$(pwd -P)\" = \"$(cd \"$HOME\" && pwd -P)\" ] && echo home");
    how.what.as_cron = true;
    CHECK(run(how).out.text() == "/usr/bin:/bin /bin/sh\nhome\n");
}

TEST_CASE("a cron-like command starts in the folder that its HOME names, and keeps its LOGNAME")
{
    auto how = shell("pwd; echo $HOME $LOGNAME $USER");
    how.what.as_cron = true;
    how.what.env = {{"HOME", "/usr"}, {"LOGNAME", "somebody"}, {"USER", "somebody"}};
    auto const name = find_account("").name;
    CHECK(run(how).out.text() == "/usr\n/usr " + name + " " + name + "\n");
    how.what.env["HOME"] = "/no/such/folder";
    CHECK(run(how).failure == "folder /no/such/folder: No such file or directory");
}

TEST_CASE("a cron-like command of an account without a home folder starts in /, and one with a folder of its own fails")
{
    auto const folder_with = [](std::string home) {
        account who;
        who.home = std::move(home);
        return folder_of(who);
    };
    CHECK(folder_with("/no/such/home") == "/");
    CHECK(folder_with("") == "/");
    CHECK(folder_with("/usr") == "/usr");
    CHECK(folder_with(std::string(5'000, 'x')).size() == 5'000); // cannot be seen

    if (geteuid() != 0)
        return;
    auto const home = find_account("nobody").home;
    auto how = shell("pwd");
    how.what.as_cron = true;
    how.what.user = "nobody";
    if (std::filesystem::exists(home))
        return;
    CHECK(run(how).out.text() == "/\n");
    how.what.cwd = "/no/such/folder";
    CHECK(run(how).failure == "folder /no/such/folder: No such file or directory");
}

TEST_CASE("a command leads its own session, with default signals and no open file of the agent")
{
    int const leak = ::dup(0);
    int const high = fcntl(0, F_DUPFD, 500);
    signal(SIGUSR1, SIG_IGN);
    auto const ended =
        run(shell("read -r a b c d e session rest < /proc/$$/stat; [ $session = $$ ] && echo leader; "
                  "for n in 0 1 2 3 4 5 6 7 8 9 10 11 12 500; do [ -e /proc/$$/fd/$n ] && printf \"$n \"; "
                  "done; grep -E 'Sig(Ign|Blk)' /proc/$$/status | tr '\\t' ' '"));
    signal(SIGUSR1, SIG_DFL);
    ::close(leak);
    ::close(high);
    CHECK(ended.out.text() == "leader\n0 1 2 SigBlk: 0000000000000000\nSigIgn: 0000000000000000\n");
}

TEST_CASE("as root a command runs as its user with that user's groups and home")
{
    auto how = shell("id -un; id -Gn; echo $HOME $LOGNAME");
    how.what.user = "daemon";
    auto const ended = run(how);
    if (geteuid() == 0)
        CHECK(ended.out.text() == "daemon\ndaemon\n/usr/sbin daemon\n");
    else
        CHECK(ended.failure == "running as user 'daemon' needs an agent that runs as root");
}

TEST_CASE("many commands at once do not hold each other's pipes open")
{
    std::vector<std::thread> threads;
    std::vector<int> exits(8, -1);
    for (std::size_t i = 0; i < exits.size(); ++i)
        threads.emplace_back([&exits, i] {
            for (int round = 0; round < 10; ++round) {
                auto how = shell("cat; exit " + std::to_string(i));
                how.input = "x";
                auto const ended = run(how);
                exits[i] = ended.out.text() == "x" ? ended.exit.value_or(-1) : -1;
            }
        });
    for (auto& each : threads)
        each.join();
    CHECK(exits == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7});
}

} // namespace command_test
