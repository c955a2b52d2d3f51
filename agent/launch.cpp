// Starts a command as a process, by way of its supervisor. This process has other threads, so everything that allocates
// or locks is done before fork(); the children make only system calls until execve().

#include "agent/launch.hpp"

#include "agent/account.hpp"
#include "agent/environment.hpp"
#include "agent/orphans.hpp"
#include "agent/supervisor.hpp"
#include "libs/base/process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <grp.h>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace baton::agent {

void descriptor::close()
{
    if (number_ >= 0)
        ::close(std::exchange(number_, -1));
}

namespace {

struct pipe_ends {
    descriptor read;
    descriptor write;
};

[[noreturn]] void fail(std::string const& what, int error)
{
    throw std::runtime_error(what + ": " + std::generic_category().message(error));
}

// Moves a descriptor above those of the command and its supervisor, so that putting one into place never overwrites
// another.
descriptor moved_up(int number)
{
    descriptor const low(number);
    int const high = fcntl(number, F_DUPFD_CLOEXEC, first_of_command);
    if (high < 0)
        fail("no file descriptor", errno);
    return descriptor(high);
}

pipe_ends make_pipe()
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        fail("no pipe", errno);
    descriptor second(ends[1]);
    auto read = moved_up(ends[0]);
    auto write = moved_up(second.release());
    return {std::move(read), std::move(write)};
}

// execvp() would search in the child, where allocating is not allowed.
std::string find_program(std::string const& name, variables const& env)
{
    if (name.find('/') != std::string::npos)
        return name;
    auto const path = env.find("PATH");
    std::istringstream folders(path == env.end() ? "/usr/bin:/bin" : path->second);
    for (std::string folder; std::getline(folders, folder, ':');) {
        auto const candidate = (folder.empty() ? "." : folder) + "/" + name;
        std::error_code ignored;
        if (access(candidate.c_str(), X_OK) == 0 && !std::filesystem::is_directory(candidate, ignored))
            return candidate;
    }
    fail(name, ENOENT);
}

std::vector<char*> pointers(std::vector<std::string>& texts)
{
    std::vector<char*> result;
    result.reserve(texts.size() + 1);
    for (auto& each : texts)
        result.push_back(each.data());
    result.push_back(nullptr);
    return result;
}

enum class stage : int { user, folder, program };

struct report { // from the child when it could not become the program
    stage where;
    int error;
};

// The data that the children need, made before fork().
struct plan {
    file_bounds files = first_file_bounds();
    std::size_t descriptors = file_limit();
    account who;
    std::string program;
    std::string folder;
    std::vector<std::string> arguments;
    std::vector<std::string> environment;
    std::vector<char*> argv;
    std::vector<char*> envp;
};

plan prepare(command const& what, variables const& of_run)
{
    plan result;
    result.who = find_account(what.user);
    auto const env = environment_of(what, result.who, of_run);
    result.arguments = what.argv;
    result.program = find_program(what.argv.at(0), env);
    result.folder = what.cwd;
    if (result.folder.empty() && what.as_cron)
        result.folder = what.env.contains("HOME") ? what.env.at("HOME") : folder_of(result.who);
    for (auto const& [name, value] : env)
        result.environment.push_back(name + "=" + value);
    result.argv = pointers(result.arguments);
    result.envp = pointers(result.environment);
    return result;
}

// In the child. Kernels before 5.11 and some sandboxes refuse close_range(); then each descriptor is marked by itself.
void close_at_exec(unsigned first, std::size_t limit)
{
    if (close_range(first, ~0U, CLOSE_RANGE_CLOEXEC) == 0)
        return;
    for (std::size_t each = first; each < limit; ++each)
        fcntl(static_cast<int>(each), F_SETFD, FD_CLOEXEC);
}

// In the child: async-signal-safe calls only.
[[noreturn]] void become(plan const& what, pid_t supervisor, int in, int out, int err, int failed)
{
    auto const give_up = [failed](stage where) {
        report const message{where, errno};
        [[maybe_unused]] auto const written = write(failed, &message, sizeof message);
        _exit(127);
    };
    setsid();
    struct sigaction as_default {};
    as_default.sa_handler = SIG_DFL;
    for (int number = 1; number < NSIG; ++number)
        sigaction(number, &as_default, nullptr);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    dup2(in, 0);
    dup2(out, 1);
    dup2(err, 2);
    close_at_exec(3, what.descriptors);
    rlimit const files{what.files.soft, what.files.hard};
    setrlimit(RLIMIT_NOFILE, &files);
    if (what.who.change && (setgroups(what.who.groups.size(), what.who.groups.data()) != 0 ||
                            setgid(what.who.group) != 0 || setuid(what.who.user) != 0))
        give_up(stage::user);
    if (!what.folder.empty() && chdir(what.folder.c_str()) != 0)
        give_up(stage::folder);
    // After the change of user, which would clear it. If the supervisor is killed, nothing else ends the command.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != supervisor) // dead already
        _exit(127);
    execve(what.program.c_str(), what.argv.data(), what.envp.data());
    give_up(stage::program);
    _exit(127);
}

// In the supervisor, whose child calls it.
class start_of final : public command_start {
public:
    start_of(plan const& what, std::array<int, 3> streams, int failed)
        : what_(what),
          streams_(streams),
          failed_(failed),
          kept_{streams[0], streams[1], streams[2], failed},
          supervisor_(getpid())
    {
        std::ranges::sort(kept_);
    }
    std::span<int const> descriptors() const override { return kept_; }
    [[noreturn]] void become_command() const override
    {
        become(what_, supervisor_, streams_[0], streams_[1], streams_[2], failed_);
    }

private:
    plan const& what_;
    std::array<int, 3> streams_;
    int failed_;
    std::array<int, 4> kept_;
    pid_t supervisor_;
};

// Keeps the signal handlers of this process from running in the child before it has reset them.
class all_signals_blocked {
public:
    all_signals_blocked()
    {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~all_signals_blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    all_signals_blocked(all_signals_blocked const&) = delete;
    all_signals_blocked& operator=(all_signals_blocked const&) = delete;

private:
    sigset_t before_{};
};

// Nothing at the end of the pipe.
template <class Message>
std::optional<Message> read_whole(int from)
{
    Message message{};
    ssize_t count = 0;
    do
        count = read(from, &message, sizeof message);
    while (count < 0 && errno == EINTR);
    return count == sizeof message ? std::optional(message) : std::nullopt;
}

[[noreturn]] void explain(plan const& what, report const& message)
{
    switch (message.where) {
    case stage::user:
        fail("becoming user '" + what.who.name + "'", message.error);
    case stage::folder:
        fail("folder " + what.folder, message.error);
    case stage::program:
        break;
    }
    fail(what.program, message.error);
}

} // namespace

child launch(command const& what, std::map<std::string, std::string> const& env)
{
    auto const ready = prepare(what, env);
    auto in = make_pipe();
    auto out = make_pipe();
    auto err = make_pipe();
    auto failed = make_pipe();
    auto orders = make_pipe();
    auto news = make_pipe();
    child result;
    {
        all_signals_blocked const quiet;
        result.supervisor = fork_noted([&] {
            auto const process = fork();
            if (process == 0) {
                start_of const command(ready, {in.read.number(), out.write.number(), err.write.number()},
                                       failed.write.number());
                supervise(orders.read.number(), news.write.number(), ready.descriptors, command);
            }
            return process;
        });
    }
    if (result.supervisor < 0)
        fail("no process", errno);
    failed.write.close(); // or the end of the pipe would never be seen
    news.write.close();
    auto const message = read_whole<report>(failed.read.number());
    auto const started = read_whole<supervisor_news>(news.read.number());
    if (message || !started) {
        await_end(result.supervisor);
        if (message)
            explain(ready, *message);
        fail("no process", EAGAIN);
    }
    result.pid = started->value;
    result.orders = std::move(orders.write);
    result.news = std::move(news.read);
    result.in = std::move(in.write);
    result.out = std::move(out.read);
    result.err = std::move(err.read);
    for (int const each : {result.in.number(), result.out.number(), result.err.number(), result.news.number()})
        fcntl(each, F_SETFL, fcntl(each, F_GETFL) | O_NONBLOCK);
    return result;
}

} // namespace baton::agent
