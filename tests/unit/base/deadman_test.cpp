#include "libs/base/log.hpp"
#include "libs/base/process.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

using namespace baton;

namespace {

struct end {
    int status = -1; // -1: by a signal
    std::string said;
};

// How a process ends, and what it says, that does this and then waits for ever.
end end_after(std::function<void(deadman&, deadman&)> const& what)
{
    int words[2];
    REQUIRE(::pipe(words) == 0);
    auto const child = ::fork();
    if (child == 0) {
        ::dup2(words[1], 1);
        ::dup2(words[1], 2);
        log::start("process", "info");
        deadman one;
        deadman other;
        what(one, other);
        ::alarm(20); // should nobody end it
        for (;;)
            ::pause();
    }
    ::close(words[1]);
    end seen;
    char piece[512];
    for (ssize_t got = 0; (got = ::read(words[0], piece, sizeof piece)) > 0;)
        seen.said.append(piece, static_cast<std::size_t>(got));
    ::close(words[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    seen.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return seen;
}

} // namespace

TEST_CASE("a process whose term does not drain within its grace is ended with status 70, though its loop is stuck")
{
    auto const seen = end_after([](deadman& one, deadman&) { one.arm(20ms, "a term that hangs"); });
    CHECK(seen.status == 70);
    CHECK_THAT(seen.said, Catch::Contains("a term that hangs"));
}

TEST_CASE("what drained in time is left alone")
{
    auto const seen = end_after([](deadman& one, deadman& other) {
        one.arm(20ms, "drained in time");
        one.disarm();
        other.arm(100ms, "did not drain");
    });
    CHECK(seen.status == 70);
    CHECK_THAT(seen.said, Catch::Contains("did not drain") && !Catch::Contains("drained in time"));
}
