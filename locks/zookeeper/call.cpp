#include "locks/zookeeper/call.hpp"

#include "libs/base/error.hpp"
#include "libs/base/run_here.hpp"

#include <boost/asio/post.hpp>

namespace baton::lock {

// Who waits, on a loop that may end as soon as he does not any more.
class zoo_call::ear {
public:
    ear(zoo_call& of, asio::any_io_executor loop)
        : of_(of), loop_(loop), bell_(std::make_shared<waker>(std::move(loop)))
    {
        std::lock_guard const lock(of_.mutex_);
        of_.listens_ = this;
    }
    ~ear()
    {
        std::lock_guard const lock(of_.mutex_);
        of_.listens_ = nullptr;
    }
    ear(ear const&) = delete;
    ear& operator=(ear const&) = delete;

    waker& bell() { return *bell_; }
    void ring() const
    {
        asio::post(loop_, [bell = bell_] { bell->wake(); });
    }
    bool hears() const
    {
        std::lock_guard const lock(of_.mutex_);
        return of_.answer_.has_value();
    }

private:
    zoo_call& of_;
    asio::any_io_executor loop_;
    std::shared_ptr<waker> bell_;
};

void zoo_call::answer(zoo_reply what)
{
    std::lock_guard const lock(mutex_);
    answer_ = std::move(what);
    heard_.notify_one();
    if (listens_)
        listens_->ring();
}

awaitable<zoo_reply> zoo_call::answer_to(std::shared_ptr<zoo_call> asked, time_source& time, instant until)
{
    bool heard = false;
    if (runs_here())
        heard = asked->hear_here(until - time.now());
    else
        heard = co_await asked->hear(time, until);
    if (!heard)
        throw unavailable("ZooKeeper does not answer");
    if (!asked->answer_->failure.empty())
        throw unavailable(asked->answer_->failure);
    co_return std::move(*asked->answer_);
}

// A thread that waits for one answer alone needs no loop for it.
bool zoo_call::hear_here(duration limit)
{
    std::unique_lock lock(mutex_);
    return heard_.wait_for(lock, limit, [this] { return answer_.has_value(); });
}

awaitable<bool> zoo_call::hear(time_source& time, instant until)
{
    auto const loop = co_await asio::this_coro::executor;
    ear listens(*this, loop);
    while (!listens.hears()) {
        if (time.now() >= until)
            co_return false;
        co_await listens.bell().wait_until(time, until);
    }
    co_return true;
}

} // namespace baton::lock
