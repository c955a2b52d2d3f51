#include "libs/base/process.hpp"

#include "libs/base/log.hpp"

#include <boost/asio/signal_set.hpp>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <fstream>
#include <mutex>
#include <optional>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

namespace baton {

awaitable<void> stop_signals(std::function<void()> on_first)
{
    asio::signal_set signals(co_await asio::this_coro::executor, SIGTERM, SIGINT);
    auto const first = co_await signals.async_wait(asio::use_awaitable);
    log::info("process", "stop signal received, draining; a second signal ends the process at once",
              {{"signal", first}});
    on_first();
    co_await signals.async_wait(asio::use_awaitable);
    log::warn("process", "second stop signal received, ending without a drain");
    _exit(130);
}

struct deadman::state {
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<std::chrono::steady_clock::time_point> deadline;
    std::string why;
    bool ending = false;
    std::thread thread;

    void watch()
    {
        std::unique_lock lock(mutex);
        while (!ending) {
            if (!deadline) {
                changed.wait(lock);
            } else if (changed.wait_until(lock, *deadline) == std::cv_status::timeout && deadline &&
                       std::chrono::steady_clock::now() >= *deadline) {
                log::error("process", "a deadline of last resort passed, ending the process", {log::reason(why)});
                _exit(70);
            }
        }
    }
};

deadman::deadman() : state_(std::make_unique<state>())
{
    state_->thread = std::thread([s = state_.get()] { s->watch(); });
}

deadman::~deadman()
{
    {
        std::lock_guard const lock(state_->mutex);
        state_->ending = true;
    }
    state_->changed.notify_one();
    state_->thread.join();
}

void deadman::arm(duration after, std::string why)
{
    std::lock_guard const lock(state_->mutex);
    state_->deadline = std::chrono::steady_clock::now() + after;
    state_->why = std::move(why);
    state_->changed.notify_one();
}

void deadman::disarm()
{
    std::lock_guard const lock(state_->mutex);
    state_->deadline.reset();
    state_->changed.notify_one();
}

void block_thread(duration span)
{
    std::this_thread::sleep_for(span);
}

std::string host_name()
{
    char name[256] = {};
    gethostname(name, sizeof name - 1);
    return name;
}

int process_id()
{
    return static_cast<int>(getpid());
}

std::size_t file_limit()
{
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    return static_cast<std::size_t>(std::min<rlim_t>(limit.rlim_cur, 1u << 20));
}

namespace {

std::optional<file_bounds> bounds_at_start;

} // namespace

file_bounds first_file_bounds()
{
    if (bounds_at_start)
        return *bounds_at_start;
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    return {limit.rlim_cur, limit.rlim_max};
}

std::size_t raise_file_limit()
{
    bounds_at_start = first_file_bounds();
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    auto const before = limit.rlim_cur;
    limit.rlim_cur = std::max(before, std::min<rlim_t>(limit.rlim_max, most_files));
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        log::warn("process", "raising the limit of open files failed", {log::reason(std::strerror(errno))});
    auto const now = file_limit();
    log::info("process", "limit of open files", {{"limit", now}, {"before", before}});
    return now;
}

std::uint64_t resident_bytes()
{
    std::ifstream file("/proc/self/statm");
    std::uint64_t total = 0;
    std::uint64_t resident = 0;
    file >> total >> resident;
    return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

} // namespace baton
