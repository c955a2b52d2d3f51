#include "locks/zookeeper/call.hpp"

#include "libs/base/error.hpp"
#include "libs/base/run_here.hpp"

#include <boost/asio/post.hpp>

namespace baton::lock {

// A coroutine that waits. Its loop may end as soon as the wait is over.
class zoo_call::waiter {
public:
    waiter(zoo_call& call, asio::any_io_executor loop)
        : call_(call), loop_(loop), changed_(std::make_shared<waker>(std::move(loop)))
    {
        std::lock_guard const lock(call_.mutex_);
        call_.waiter_ = this;
    }
    ~waiter()
    {
        std::lock_guard const lock(call_.mutex_);
        call_.waiter_ = nullptr;
    }
    waiter(waiter const&) = delete;
    waiter& operator=(waiter const&) = delete;

    waker& changed() { return *changed_; }
    void wake() const
    {
        asio::post(loop_, [changed = changed_] { changed->wake(); });
    }
    bool is_answered() const
    {
        std::lock_guard const lock(call_.mutex_);
        return call_.answer_.has_value();
    }

private:
    zoo_call& call_;
    asio::any_io_executor loop_;
    std::shared_ptr<waker> changed_;
};

void zoo_call::answer(zoo_reply reply)
{
    std::lock_guard const lock(mutex_);
    answer_ = std::move(reply);
    answered_.notify_one();
    if (waiter_)
        waiter_->wake();
}

awaitable<zoo_reply> zoo_call::answer_to(std::shared_ptr<zoo_call> call, time_source& time, instant until)
{
    bool answered = false;
    if (runs_here())
        answered = call->block(until - time.now());
    else
        answered = co_await call->wait_on_loop(time, until);
    if (!answered)
        throw unavailable("ZooKeeper does not answer");
    if (!call->answer_->failure.empty())
        throw unavailable(call->answer_->failure);
    co_return std::move(*call->answer_);
}

// A thread that waits for a single answer needs no loop.
bool zoo_call::block(duration limit)
{
    std::unique_lock lock(mutex_);
    return answered_.wait_for(lock, limit, [this] { return answer_.has_value(); });
}

awaitable<bool> zoo_call::wait_on_loop(time_source& time, instant until)
{
    auto const loop = co_await asio::this_coro::executor;
    waiter self(*this, loop);
    while (!self.is_answered()) {
        if (time.now() >= until)
            co_return false;
        co_await self.changed().wait_until(time, until);
    }
    co_return true;
}

} // namespace baton::lock
