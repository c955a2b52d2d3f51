#include "agent/orphans.hpp"

#include <cerrno>
#include <mutex>
#include <set>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace baton::agent {

namespace {

struct noted_children {
    std::mutex mutex;
    std::set<pid_t> all;
};

noted_children& own()
{
    static noted_children one;
    return one;
}

bool gets_orphans()
{
    int adopts = 0;
    return getpid() == 1 || (prctl(PR_GET_CHILD_SUBREAPER, &adopts) == 0 && adopts != 0);
}

} // namespace

pid_t fork_noted(std::function<pid_t()> const& fork_one)
{
    std::lock_guard const locked(own().mutex); // it may end before it is noted
    auto const child = fork_one();
    if (child > 0)
        own().all.insert(child);
    return child;
}

void await_end(pid_t child)
{
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    std::lock_guard const locked(own().mutex);
    own().all.erase(child);
}

void reap_orphans()
{
    if (!gets_orphans())
        return;
    std::lock_guard const locked(own().mutex);
    for (;;) {
        siginfo_t ended{};
        if (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid == 0)
            return;
        if (own().all.contains(ended.si_pid)) // it is about to be awaited; the next call reaps those behind it
            return;
        waitpid(ended.si_pid, nullptr, 0);
    }
}

} // namespace baton::agent
