#pragma once
// Limits on what sockets wait for, at the price of one timer for all of them. Of this folder alone; on the loop only.

#include "libs/base/time.hpp"

#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <memory>
#include <set>
#include <utility>

namespace baton::http {

class deadline;

// All deadlines of a listener or a client, soonest first. A deadline that moves to a later time stays where it is in
// the order and is looked at again when its old time comes: on a busy connection moving it costs nothing.
class deadlines : public std::enable_shared_from_this<deadlines> {
public:
    deadlines(asio::any_io_executor loop, time_source& time) : time_(time), timer_(std::move(loop)) {}

private:
    friend class deadline;

    void watch(instant at);
    void look();

    time_source& time_;
    asio::steady_timer timer_;
    instant watched_ = instant::max(); // when the timer rings
    std::set<std::pair<instant, deadline*>> order_;
};

class deadline {
public:
    // `expire` runs on the loop, outside of every coroutine, when the armed time is over. It may cancel operations, and
    // must not arm or destroy deadlines.
    deadline(std::shared_ptr<deadlines> all, std::function<void()> expire);
    ~deadline();
    deadline(deadline const&) = delete;
    deadline& operator=(deadline const&) = delete;

    void arm(duration from_now);
    void disarm();

    // Since it was last armed. An operation that had ended by itself when it was cancelled does not report the
    // cancellation: ask before starting the next.
    bool passed() const { return passed_; }

private:
    friend class deadlines;

    std::shared_ptr<deadlines> all_;
    std::function<void()> expire_;
    instant at_ = instant::max();
    instant queued_ = instant::max(); // its place in the order; max: in none
    bool passed_ = false;
};

} // namespace baton::http
