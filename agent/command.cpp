#include "agent/command.hpp"

#include "agent/launch.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

namespace baton::agent {

namespace {

constexpr duration after_the_end = 1s; // for output that is still under way

// Blocks SIGPIPE in this thread: it would end the process when a program does not read its input.
class no_broken_pipe {
public:
    no_broken_pipe()
    {
        sigemptyset(&broken_pipe_);
        sigaddset(&broken_pipe_, SIGPIPE);
        pthread_sigmask(SIG_BLOCK, &broken_pipe_, &before_);
    }
    ~no_broken_pipe()
    {
        timespec const at_once{};
        while (sigtimedwait(&broken_pipe_, nullptr, &at_once) > 0) {
        }
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    no_broken_pipe(no_broken_pipe const&) = delete;
    no_broken_pipe& operator=(no_broken_pipe const&) = delete;

private:
    sigset_t broken_pipe_{};
    sigset_t before_{};
};

// One run: feeds input, collects output, and waits for the end.
class supervision {
public:
    supervision(call const& request, child process, int stop_event, time_source const& time)
        : request_(request), child_(std::move(process)), stop_event_(stop_event), time_(time)
    {
        result_.out = output(request.output_limit);
        result_.err = output(request.output_limit);
    }

    outcome run()
    {
        while (!finished())
            round();
        // Ends the rest of the group after a stop. Its leader is not reaped yet, so no other process has its id.
        if (result_.stopped)
            kill(-child_.pid, SIGKILL);
        reap();
        return std::move(result_);
    }

private:
    bool silent() const { return !child_.out.open() && !child_.err.open(); }

    bool finished() const
    {
        if (!ended_at_)
            return false;
        if (silent())
            return true;
        return time_.now() >= (result_.stopped ? kill_at_ : *ended_at_ + after_the_end);
    }

    void round()
    {
        enum { out, err, in, ended, stop };
        bool const writing = child_.in.open() && written_ < request_.input.size();
        if (!writing)
            child_.in.close();
        std::array<pollfd, 5> watched{{{child_.out.number(), POLLIN, 0},
                                       {child_.err.number(), POLLIN, 0},
                                       {child_.in.number(), POLLOUT, 0},
                                       {ended_at_ ? -1 : child_.ended.number(), POLLIN, 0},
                                       {result_.stopped ? -1 : stop_event_, POLLIN, 0}}};
        poll(watched.data(), watched.size(), milliseconds_left());
        if (watched[out].revents != 0)
            collect(child_.out, result_.out);
        if (watched[err].revents != 0)
            collect(child_.err, result_.err);
        if (watched[in].revents != 0)
            feed();
        if (watched[ended].revents != 0)
            ended_at_ = time_.now();
        if (watched[stop].revents != 0)
            begin_stop();
        if (result_.stopped && !killed_ && time_.now() >= kill_at_) {
            kill(-child_.pid, SIGKILL);
            killed_ = true;
        }
    }

    // Until the next event that depends on time alone; poll() rounds down, so one more.
    int milliseconds_left() const
    {
        instant next = instant::max();
        if (result_.stopped && !killed_)
            next = kill_at_;
        if (ended_at_)
            next = std::min(next, result_.stopped ? kill_at_ : *ended_at_ + after_the_end);
        if (next == instant::max())
            return -1;
        auto const left = std::chrono::duration_cast<std::chrono::milliseconds>(next - time_.now()).count() + 1;
        return static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000));
    }

    static void collect(descriptor& from, output& into)
    {
        char buffer[16'384];
        auto const count = read(from.number(), buffer, sizeof buffer);
        if (count > 0)
            into.append({buffer, static_cast<std::size_t>(count)});
        else if (count == 0 || (errno != EAGAIN && errno != EINTR))
            from.close();
    }

    void feed()
    {
        auto const count =
            write(child_.in.number(), request_.input.data() + written_, request_.input.size() - written_);
        if (count >= 0)
            written_ += static_cast<std::size_t>(count);
        else if (errno != EAGAIN && errno != EINTR)
            child_.in.close();
    }

    void begin_stop()
    {
        result_.stopped = true;
        kill_at_ = time_.now() + request_.kill_after;
        kill(-child_.pid, SIGTERM);
    }

    void reap()
    {
        int status = 0;
        while (waitpid(child_.pid, &status, 0) < 0 && errno == EINTR) {
        }
        if (WIFEXITED(status))
            result_.exit = WEXITSTATUS(status);
        else if (WIFSIGNALED(status))
            result_.signal = WTERMSIG(status);
    }

    call const& request_;
    child child_;
    int stop_event_;
    time_source const& time_;
    outcome result_;
    std::size_t written_ = 0;
    std::optional<instant> ended_at_;
    instant kill_at_{};
    bool killed_ = false;
};

} // namespace

std::string outcome::reason() const
{
    if (!failure.empty())
        return "cannot be started: " + failure;
    if (signal)
        return "killed by signal " + std::to_string(*signal) + " (" + sigdescr_np(*signal) + ")";
    return "exit status " + std::to_string(exit.value_or(-1));
}

outcome run_command(call const& request, std::stop_token const& stop, time_source const& time)
{
    no_broken_pipe const quiet;
    descriptor const stop_event(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    std::stop_callback const on_stop(stop, [&stop_event] { eventfd_write(stop_event.number(), 1); });
    child process;
    try {
        process = launch(request.what, request.env);
    } catch (std::runtime_error const& failure) {
        outcome result;
        result.failure = failure.what();
        return result;
    }
    return supervision(request, std::move(process), stop_event.number(), time).run();
}

} // namespace baton::agent
