#include "agent/supervisor.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

namespace baton::agent {

namespace {

constexpr int orders_at = 3; // descriptors
constexpr int news_at = 4;
static_assert(news_at < first_of_command);
constexpr int check_period = 1'000; // milliseconds: a member of the group whose parent is in another group ends unseen

#ifndef __has_feature
#define __has_feature(what) 0
#endif

// glibc's fork() takes locks, which another thread of the agent may have held when this process was forked. In a build
// with ThreadSanitizer this process has a thread of that, whose locks only fork() takes.
pid_t fork_without_locks()
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34) && !defined(__SANITIZE_THREAD__) && !__has_feature(thread_sanitizer)
    return _Fork();
#else
    return fork();
#endif
}

// All descriptors from `first` to `last`.
void close_all(unsigned first, unsigned last, std::size_t limit)
{
    if (first > last || close_range(first, last, 0) == 0)
        return;
    for (std::size_t each = first; each <= last && each < limit; ++each)
        close(static_cast<int>(each));
}

// Keeps only the two pipes and those of the command: what belongs to other commands would stay open with it.
bool put_into_place(int orders, int news, std::span<int const> kept, std::size_t limit)
{
    int const high_orders = fcntl(orders, F_DUPFD_CLOEXEC, first_of_command);
    int const high_news = fcntl(news, F_DUPFD_CLOEXEC, first_of_command);
    if (high_orders < 0 || high_news < 0 || dup3(high_orders, orders_at, O_CLOEXEC) < 0 ||
        dup3(high_news, news_at, O_CLOEXEC) < 0)
        return false;
    unsigned next = first_of_command;
    for (int const each : kept) {
        close_all(next, static_cast<unsigned>(each) - 1, limit);
        next = static_cast<unsigned>(each) + 1;
    }
    close_all(next, ~0U, limit);
    return true;
}

// Once the command has its own.
void leave_streams(std::size_t limit)
{
    int const nothing = open("/dev/null", O_RDWR);
    for (int each = 0; each <= 2; ++each)
        dup2(nothing, each);
    close_all(first_of_command, ~0U, limit);
}

void tell(supervisor_news::kind what, int value)
{
    supervisor_news const message{what, value};
    while (write(news_at, &message, sizeof message) < 0 && errno == EINTR) {
    }
}

// Reaps every child that has ended, the orphans of the command among them.
void reap(pid_t command, bool& command_ended)
{
    int status = 0;
    for (pid_t each = waitpid(-1, &status, WNOHANG); each > 0; each = waitpid(-1, &status, WNOHANG))
        if (each == command) {
            command_ended = true;
            tell(supervisor_news::kind::ended, status);
        }
}

// Carries out what the agent has ordered. False: the agent has ended.
bool obey(pid_t group)
{
    char order = 0;
    auto const count = read(orders_at, &order, 1);
    if (count < 0)
        return errno == EINTR || errno == EAGAIN;
    if (count == 1)
        kill(-group, order == static_cast<char>(supervisor_order::kill) ? SIGKILL : SIGTERM);
    return count == 1;
}

bool is_empty(pid_t group)
{
    return kill(-group, 0) != 0 && errno == ESRCH;
}

[[noreturn]] void watch(pid_t command, int ends)
{
    bool command_ended = false;
    for (;;) {
        reap(command, command_ended);
        if (command_ended && is_empty(command))
            _exit(0);
        pollfd watched[] = {{orders_at, POLLIN, 0}, {ends, POLLIN, 0}};
        if (poll(watched, 2, command_ended || ends < 0 ? check_period : -1) < 0)
            continue;
        if (watched[1].revents != 0) {
            signalfd_siginfo ignored;
            [[maybe_unused]] auto const count = read(ends, &ignored, sizeof ignored);
        }
        if (watched[0].revents != 0 && !obey(command)) {
            kill(-command, SIGKILL);
            _exit(0);
        }
    }
}

} // namespace

void supervise(int orders, int news, std::size_t descriptors, command_start const& command)
{
    prctl(PR_SET_NAME, "command-guard"); // `killall baton` is not for this process
    setsid();                            // nor is what is sent to the agent's group, such as SIGINT by a terminal
    struct sigaction as_default {};
    as_default.sa_handler = SIG_DFL; // if SIGCHLD is ignored, no child can be waited for
    sigaction(SIGCHLD, &as_default, nullptr);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (!put_into_place(orders, news, command.descriptors(), descriptors))
        _exit(127);
    pid_t const started = fork_without_locks();
    if (started == 0)
        command.become_command();
    leave_streams(descriptors);
    if (started < 0)
        _exit(127);
    tell(supervisor_news::kind::started, started);
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    watch(started, signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK));
}

} // namespace baton::agent
