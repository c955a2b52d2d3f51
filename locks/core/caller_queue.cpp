#include "locks/core/caller_queue.hpp"

#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>

namespace baton::lock {

waiting_caller::waiting_caller(asio::any_io_executor const& loop, std::stop_token caller, std::stop_token closing)
    : caller_(std::move(caller)),
      closing_(std::move(closing)),
      wakeup_(std::make_shared<waker>(loop)),
      on_caller_(caller_, wake_on_loop{loop, wakeup_}),
      on_closing_(closing_, wake_on_loop{loop, wakeup_})
{}

void waiting_caller::wake_on_loop::operator()() const
{
    asio::post(loop, [wakeup = wakeup] { wakeup->wake(); });
}

bool caller_queue::try_enter()
{
    std::lock_guard const lock(mutex_);
    if (!queue_.empty())
        return false;
    queue_.push_back(nullptr);
    return true;
}

void caller_queue::enqueue(waiting_caller& caller)
{
    std::lock_guard const lock(mutex_);
    queue_.push_back(&caller);
}

void caller_queue::resume(waiting_caller& caller)
{
    std::lock_guard const lock(mutex_);
    queue_.front() = &caller;
}

void caller_queue::hold_place()
{
    std::lock_guard const lock(mutex_);
    queue_.front() = nullptr;
}

bool caller_queue::is_first(waiting_caller const& caller) const
{
    std::lock_guard const lock(mutex_);
    return queue_.front() == &caller;
}

awaitable<bool> caller_queue::await_turn(waiting_caller& caller, time_source& time, instant until)
{
    while (!is_first(caller) && !caller.stopped() && time.now() < until)
        co_await caller.wakeup()->wait_until(time, until);
    co_return is_first(caller) && !caller.stopped();
}

void caller_queue::leave(waiting_caller const& caller)
{
    {
        std::lock_guard const lock(mutex_);
        if (queue_.front() != &caller) {
            std::erase(queue_, &caller);
            return;
        }
    }
    pass_on();
}

void caller_queue::pass_on()
{
    std::shared_ptr<waker> next;
    {
        std::lock_guard const lock(mutex_);
        queue_.pop_front();
        if (!queue_.empty())
            next = queue_.front()->wakeup();
    }
    if (next)
        asio::dispatch(loop_, [next = std::move(next)] { next->wake(); });
}

} // namespace baton::lock
