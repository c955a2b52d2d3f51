// The end of a command and of its process group.

#include "tests/unit/agent/command_stage.hpp"

#include <catch2/catch.hpp>

#include <cerrno>
#include <sys/prctl.h>
#include <sys/wait.h>

namespace process_group_test {

using namespace baton;
using namespace baton::agent;
using namespace baton::test;

TEST_CASE("a stop sends SIGTERM, which a command may handle")
{
    scratch here;
    auto how =
        shell("trap 'echo tidy; exit 5' TERM; echo ready > " + here.file("begun") + "; while :; do sleep 0.01; done");
    auto const ended = run_until(how, here.file("begun"));
    CHECK(ended.stopped);
    CHECK(ended.exit == 5);
    CHECK(ended.out.text() == "tidy\n");
}

TEST_CASE("a command that ignores SIGTERM is killed after the grace, with its children")
{
    scratch here;
    auto how = shell("trap '' TERM; (trap '' TERM; echo $(exec sh -c 'echo $PPID') > " + here.file("grandchild") +
                     "; while :; do sleep 0.01; done) & wait");
    how.kill_after = 100ms;
    auto const ended = run_until(how, here.file("grandchild"));
    CHECK(ended.stopped);
    CHECK(ended.signal == SIGKILL);
    auto const grandchild = std::stoi(content(here.file("grandchild")));
    CHECK(gone(grandchild));
}

TEST_CASE("a child that survives SIGTERM is killed too when the command itself has ended")
{
    scratch here;
    auto how = shell("(trap '' TERM; echo $(exec sh -c 'echo $PPID') > " + here.file("grandchild") +
                     "; while :; do sleep 0.01; done) & wait");
    how.kill_after = 100ms;
    auto const ended = run_until(how, here.file("grandchild"));
    CHECK(ended.signal == SIGTERM);
    CHECK(gone(std::stoi(content(here.file("grandchild")))));
}

TEST_CASE("a command has ended when its process group is empty, with the status of the program itself")
{
    scratch here;
    auto const done = here.file("done");
    auto const ended = run(shell("(sleep 0.3; echo yes > " + done + ") > /dev/null 2>&1 & exit 4"));
    CHECK(ended.exit == 4);
    CHECK(content(done) == "yes");
}

TEST_CASE("the rest of a group has the time to stop, also when the command has ended first")
{
    scratch here;
    auto const begun = here.file("begun");
    auto const tidy = here.file("tidy");
    auto how = shell("(trap 'sleep 0.3; echo yes > " + tidy + "; exit' TERM; echo ready > " + begun +
                     "; while :; do sleep 0.01; done) > /dev/null 2>&1 & wait");
    auto const ended = run_until(how, begun);
    CHECK(ended.signal == SIGTERM);
    CHECK(content(tidy) == "yes");
}

TEST_CASE("a process that leaves the group of its command neither delays its end nor dies with it")
{
    scratch here;
    auto const began = real_time.now();
    auto const ended = run(shell("setsid sh -c 'echo $$ > " + here.file("left") + "; exec sleep 30' & while [ ! -s " +
                                 here.file("left") + " ]; do sleep 0.01; done; echo done"));
    CHECK(ended.succeeded());
    CHECK(ended.out.text() == "done\n");
    CHECK(real_time.now() - began < 10s);
    auto const left = std::stoi(content(here.file("left")));
    CHECK(exists(left));
    kill(left, SIGKILL);
}

namespace {

// A command and a process in the background beside it, whose ids it writes to two files.
call a_pair(scratch const& here)
{
    return shell("(trap '' TERM HUP; echo $(exec sh -c 'echo $PPID') > " + here.file("second") +
                 "; while :; do sleep 0.01; done | cat) & echo $$ > " + here.file("first") + "; wait");
}

pid_t await_id(std::string const& file)
{
    auto const deadline = real_time.now() + 20s;
    while (content(file).empty() && real_time.now() < deadline)
        std::this_thread::yield();
    return std::stoi(content(file));
}

} // namespace

TEST_CASE("when the agent is killed, no process of the group of its command runs on")
{
    scratch here;
    auto const agent = fork();
    if (agent == 0) {
        run(a_pair(here));
        _exit(0);
    }
    auto const first = await_id(here.file("first"));
    auto const second = await_id(here.file("second"));
    kill(agent, SIGKILL);
    waitpid(agent, nullptr, 0);
    CHECK(gone(first));
    CHECK(gone(second));
}

TEST_CASE("when the supervisor of a command is killed, the command counts as killed, with its group")
{
    scratch here;
    outcome ended;
    std::thread runner([&] { ended = run(a_pair(here)); });
    auto const first = await_id(here.file("first"));
    auto const second = await_id(here.file("second"));
    std::ifstream stat("/proc/" + std::to_string(first) + "/stat");
    std::string id, name, state;
    pid_t supervisor = 0;
    stat >> id >> name >> state >> supervisor;
    REQUIRE(supervisor > 1);
    kill(supervisor, SIGKILL);
    runner.join();
    CHECK(ended.signal == SIGKILL);
    CHECK(gone(first));
    CHECK(gone(second));
}

TEST_CASE("an agent that is the first process of a container leaves no zombies of its commands")
{
    REQUIRE(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0); // orphans come to it as they do to process 1
    scratch here;
    for (int i = 0; i < 3; ++i)
        run(shell("setsid sh -c 'echo $$ > " + here.file("orphan") + "' & while [ ! -s " + here.file("orphan") +
                  " ]; do sleep 0.01; done"));
    auto const deadline = real_time.now() + 10s;
    siginfo_t left{};
    do {
        run(shell("true"));
        left = {};
    } while (waitid(P_ALL, 0, &left, WEXITED | WNOHANG | WNOWAIT) == 0 && real_time.now() < deadline);
    CHECK(errno == ECHILD);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
}

} // namespace process_group_test
