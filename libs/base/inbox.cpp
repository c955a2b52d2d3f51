#include "libs/base/inbox.hpp"

#include "libs/base/log.hpp"

#include <boost/asio/post.hpp>

namespace baton {

namespace {

constexpr std::size_t very_much = 1'000;

} // namespace

inbox::inbox(asio::any_io_executor loop, time_source& time, task_group& beside)
    : loop_(std::move(loop)), time_(time), beside_(beside)
{}

void inbox::leave(std::function<void()> what)
{
    bool begin = false;
    bool at_once = false;
    {
        std::lock_guard const lock(mutex_);
        left_.push_back(std::move(what));
        begin = !std::exchange(hearing_, true);
        at_once = left_.size() == very_much;
    }
    if (begin)
        asio::post(loop_, [this] { beside_.spawn("inbox", hear_on()); });
    if (at_once)
        asio::post(loop_, [this] { hear(); });
}

bool inbox::hear()
{
    std::vector<std::function<void()>> all;
    {
        std::lock_guard const lock(mutex_);
        all.swap(left_);
    }
    for (auto const& each : all)
        try {
            each();
        } catch (std::exception const& failure) {
            log::old::error("what was left for the loop has failed: {}", failure.what());
        }
    return !all.empty();
}

// Until nothing has come for a moment.
awaitable<void> inbox::hear_on()
{
    for (;;) {
        co_await time_.sleep_for(moment);
        bool const heard = hear();
        std::lock_guard const lock(mutex_);
        if (!heard && left_.empty()) {
            hearing_ = false;
            co_return;
        }
    }
}

} // namespace baton
