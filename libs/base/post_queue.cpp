#include "libs/base/post_queue.hpp"

#include "libs/base/log.hpp"

#include <boost/asio/post.hpp>

namespace baton {

namespace {

constexpr std::size_t run_at_once_size = 1'000;

} // namespace

post_queue::post_queue(asio::any_io_executor loop, time_source& time, task_group& group)
    : loop_(std::move(loop)), time_(time), group_(group)
{}

void post_queue::post(std::function<void()> function)
{
    bool start = false;
    bool full = false;
    {
        std::lock_guard const lock(mutex_);
        waiting_.push_back(std::move(function));
        start = !std::exchange(scheduled_, true);
        full = waiting_.size() == run_at_once_size;
    }
    if (start)
        asio::post(loop_, [this] { group_.spawn("posted functions", run_until_empty()); });
    if (full)
        asio::post(loop_, [this] { run_pending(); });
}

bool post_queue::run_pending()
{
    std::vector<std::function<void()>> functions;
    {
        std::lock_guard const lock(mutex_);
        functions.swap(waiting_);
    }
    for (auto const& function : functions)
        try {
            function();
        } catch (std::exception const& failure) {
            log::error("loop", "a posted function failed, continuing with the next", {log::reason(failure.what())});
        }
    return !functions.empty();
}

// Ends when a whole delay has passed without a post.
awaitable<void> post_queue::run_until_empty()
{
    for (;;) {
        co_await time_.sleep_for(max_delay);
        bool const ran = run_pending();
        std::lock_guard const lock(mutex_);
        if (!ran && waiting_.empty()) {
            scheduled_ = false;
            co_return;
        }
    }
}

} // namespace baton
