#include "agent/command.hpp"

#include "agent/launch.hpp"
#include "agent/orphans.hpp"
#include "agent/supervisor.hpp"

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

constexpr duration after_the_end = 1s;  // for the output of processes that have left the group
constexpr duration after_the_kill = 2s; // a zombie whose parent is elsewhere stays in the group

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
        reap_supervisor();
        return std::move(result_);
    }

private:
    bool silent() const { return !child_.out.open() && !child_.err.open(); }

    bool finished() const
    {
        if (killed_ && time_.now() >= kill_at_ + after_the_kill)
            return true;
        return ended_at_ && (silent() || time_.now() >= *ended_at_ + after_the_end);
    }

    void round()
    {
        enum { out, err, in, news, stop };
        bool const writing = child_.in.open() && written_ < request_.input.size();
        if (!writing)
            child_.in.close();
        std::array<pollfd, 5> watched{{{child_.out.number(), POLLIN, 0},
                                       {child_.err.number(), POLLIN, 0},
                                       {child_.in.number(), POLLOUT, 0},
                                       {child_.news.number(), POLLIN, 0},
                                       {result_.stopped ? -1 : stop_event_, POLLIN, 0}}};
        poll(watched.data(), watched.size(), milliseconds_left());
        if (watched[out].revents != 0)
            collect(child_.out, result_.out);
        if (watched[err].revents != 0)
            collect(child_.err, result_.err);
        if (watched[in].revents != 0)
            feed();
        if (watched[news].revents != 0)
            hear();
        if (watched[stop].revents != 0)
            begin_stop();
        if (must_kill() && time_.now() >= kill_at_) {
            order(supervisor_order::kill);
            killed_ = true;
        }
    }

    // Until the next event that depends on time alone; poll() rounds down, so one more.
    int milliseconds_left() const
    {
        instant next = instant::max();
        if (must_kill())
            next = kill_at_;
        if (killed_)
            next = kill_at_ + after_the_kill;
        if (ended_at_)
            next = std::min(next, *ended_at_ + after_the_end);
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
        order(supervisor_order::terminate);
    }

    bool must_kill() const { return result_.stopped && !killed_ && !ended_at_; }

    // One that has ended just now needs no order.
    void order(supervisor_order what)
    {
        auto const text = static_cast<char>(what);
        [[maybe_unused]] auto const written = write(child_.orders.number(), &text, 1);
    }

    // The end of the supervisor is the end of the process group.
    void hear()
    {
        supervisor_news news{};
        auto const count = read(child_.news.number(), &news, sizeof news);
        if (count == sizeof news && news.what == supervisor_news::kind::ended)
            note_status(news.value);
        if (count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR)))
            return;
        child_.news.close();
        ended_at_ = time_.now();
    }

    void note_status(int status)
    {
        if (WIFEXITED(status))
            result_.exit = WEXITSTATUS(status);
        else if (WIFSIGNALED(status))
            result_.signal = WTERMSIG(status);
    }

    // Without a status the supervisor was killed, and the command with it (PR_SET_PDEATHSIG), but not the rest of the
    // group.
    void reap_supervisor()
    {
        child_.orders.close(); // its end, if the group is not empty
        if (!result_.exit && !result_.signal) {
            kill(-child_.pid, SIGKILL);
            result_.signal = SIGKILL;
        }
        await_end(child_.supervisor);
        reap_orphans();
    }

    call const& request_;
    child child_;
    int stop_event_;
    time_source const& time_;
    outcome result_;
    std::size_t written_ = 0;
    std::optional<instant> ended_at_; // its group is empty
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
