#include "tests/support/process_end.hpp"

#include "libs/base/log.hpp"

#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace baton::test {

process_end end_after(std::function<void(deadman& one, deadman& other)> const& what)
{
    int words[2];
    if (::pipe(words) != 0)
        throw std::runtime_error("no pipe");
    auto const child = ::fork();
    if (child == 0) {
        ::dup2(words[1], 1);
        ::dup2(words[1], 2);
        log::start("process", "info");
        deadman one;
        deadman other;
        what(one, other);
        ::alarm(20); // ends the process if the dead man's switch does not
        for (;;)
            ::pause();
    }
    ::close(words[1]);
    process_end seen;
    char piece[512];
    for (ssize_t got = 0; (got = ::read(words[0], piece, sizeof piece)) > 0;)
        seen.said.append(piece, static_cast<std::size_t>(got));
    ::close(words[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    seen.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return seen;
}

} // namespace baton::test
