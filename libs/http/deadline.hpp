#pragma once
// Timeouts for socket operations that share one timer. Private to this folder; on the loop only.

#include "libs/base/time.hpp"

#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <memory>
#include <set>
#include <utility>

namespace baton::http {

class deadline;

// All deadlines of a listener or a client, soonest first. A deadline that moves to a later time keeps its place in the
// order and is checked again at its old time, so that moving it costs nothing on a busy connection.
class deadlines : public std::enable_shared_from_this<deadlines> {
public:
    deadlines(asio::any_io_executor loop, time_source& time) : time_(time), timer_(std::move(loop)) {}

private:
    friend class deadline;

    void watch(instant at);
    void expire_due();

    time_source& time_;
    asio::steady_timer timer_;
    instant watched_ = instant::max(); // when the timer expires
    std::set<std::pair<instant, deadline*>> order_;
};

class deadline {
public:
    // `expire` runs on the loop, outside of every coroutine, when the armed time has passed. It may cancel operations
    // but must not arm or destroy deadlines.
    deadline(std::shared_ptr<deadlines> all, std::function<void()> expire);
    ~deadline();
    deadline(deadline const&) = delete;
    deadline& operator=(deadline const&) = delete;

    void arm(duration from_now);
    void disarm();

    // True if it expired since it was last armed. Check it before each operation: one that had already completed when
    // `expire` cancelled it does not report the cancellation.
    bool passed() const { return passed_; }

private:
    friend class deadlines;

    std::shared_ptr<deadlines> all_;
    std::function<void()> expire_;
    instant at_ = instant::max();
    instant queued_ = instant::max(); // its key in the order; max: not in the order
    bool passed_ = false;
};

} // namespace baton::http
