#pragma once
// Counts the calls of majority locks that servers have not answered. On the loop only.

#include "libs/base/loop.hpp"

#include <cstddef>
#include <memory>
#include <utility>

namespace baton::lock {

// An answer of the majority does not wait for the other servers, so that a vote or its release may still be under way
// when the caller goes on. A store that closes waits for them: a vote without its release would stay until its ttl.
class open_votes {
    struct state {
        std::size_t count = 0;
        waker* none; // null once the store has ended
    };

public:
    explicit open_votes(asio::any_io_executor loop)
        : none_(std::move(loop)), state_(std::make_shared<state>(state{0, &none_}))
    {}
    open_votes(open_votes const&) = delete;
    open_votes& operator=(open_votes const&) = delete;
    ~open_votes() { state_->none = nullptr; }

    // Counts as one call while it lives, which may be longer than the store: a loop destroys the coroutines that it
    // did not end.
    class call {
    public:
        explicit call(open_votes& all) : state_(all.state_) { ++state_->count; }
        call(call const&) = delete;
        call& operator=(call const&) = delete;
        ~call()
        {
            if (--state_->count == 0 && state_->none)
                state_->none->wake();
        }

    private:
        std::shared_ptr<state> state_;
    };

    // Returns once no call is open, or at `until`. One coroutine at a time.
    awaitable<void> ended(time_source& time, instant until)
    {
        bool in_time = true;
        while (state_->count > 0 && in_time)
            in_time = co_await none_.wait_until(time, until);
    }

private:
    waker none_;
    std::shared_ptr<state> state_;
};

} // namespace baton::lock
