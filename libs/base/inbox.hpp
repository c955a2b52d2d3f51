#pragma once

#include "libs/base/loop.hpp"
#include "libs/base/task_group.hpp"

#include <functional>
#include <mutex>
#include <vector>

namespace baton {

// What other threads leave for a loop to do within a moment: one wake-up for many, which wait for none.
class inbox {
public:
    // The group's owner lives for as long as something is left here.
    inbox(asio::any_io_executor loop, time_source& time, task_group& beside);

    // Any thread. `what` is done on the loop within `moment`, or at once where very much has come together; in the
    // order in which it was left.
    void leave(std::function<void()> what);
    // On the loop: does all that was left until now. False when there was nothing.
    bool hear();

    static constexpr duration moment = 10ms;

private:
    awaitable<void> hear_on();

    asio::any_io_executor loop_;
    time_source& time_;
    task_group& beside_;
    std::mutex mutex_; // of what follows
    std::vector<std::function<void()>> left_;
    bool hearing_ = false; // the loop looks again by itself
};

} // namespace baton
