#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace baton::lock {

// Counts the calls in progress, so that the store can close after the last of them. Any thread.
class open_calls {
public:
    // One call. Throws lock_errc::misuse if the store is closed.
    class call {
    public:
        explicit call(open_calls& calls);
        ~call();
        call(call const&) = delete;
        call& operator=(call const&) = delete;

    private:
        open_calls& calls_;
    };

    // Refuses further calls and waits for the end of those in progress. False if that was done before.
    bool close();

private:
    std::mutex mutex_; // guards the members below
    std::condition_variable changed_;
    std::size_t count_ = 0;
    bool closed_ = false;
};

} // namespace baton::lock
