#include "libs/base/process.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <sys/wait.h>
#include <unistd.h>

using namespace baton;

namespace {

// How a process ends that does this and then waits for ever; -1 when by a signal.
int status_after(std::function<void(deadman&)> const& what)
{
    auto const child = ::fork();
    if (child == 0) {
        deadman last_resort;
        what(last_resort);
        ::alarm(20); // should nobody end it
        for (;;)
            ::pause();
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace

TEST_CASE("a process whose term does not drain within its grace is ended with status 70, though its loop is stuck")
{
    CHECK(status_after([](deadman& last_resort) { last_resort.arm(20ms, "a term that hangs"); }) == 70);
}

TEST_CASE("what drained in time goes on, and may be armed again")
{
    CHECK(status_after([](deadman& last_resort) {
              last_resort.arm(10s, "not this one");
              last_resort.disarm();
              last_resort.arm(20ms, "this one");
          }) == 70);
    CHECK(status_after([](deadman& last_resort) {
              last_resort.arm(50ms, "a term that hangs for a moment");
              last_resort.disarm();
              ::usleep(200'000);
              ::_exit(0);
          }) == 0);
}
