#pragma once
// Wakes waiters in a database when a lock is released. The holder also holds a named lock of the server (GET_LOCK), and
// waiters block on that. It only makes waiters faster and cheaper: a waiter may wake too early, because another server
// of a cluster has the named lock, its holder died, or its holder has not taken it yet.

#include "libs/base/loop.hpp"
#include "libs/base/time.hpp"

#include <functional>
#include <memory>
#include <string>

namespace baton::storage {
class database;
}

namespace baton::lock {

// On the loop.
class release_notifier {
public:
    virtual ~release_notifier() = default;

    // For holders. Failures are ignored.
    virtual awaitable<void> arm(std::string name) = 0;
    virtual awaitable<void> signal(std::string name) = 0;
    // For a waiter: a waker that is woken when the lock may be free, after about `wait_span` at the latest. Drop it to
    // stop waiting. Null if too many waiters subscribe already.
    virtual std::shared_ptr<waker> subscribe(std::string name) = 0;

    static constexpr duration wait_span = 1s;
};

// `open` opens a database with that many sessions on the same server, when the notifier first needs it.
std::unique_ptr<release_notifier>
make_release_notifier(asio::any_io_executor loop,
                      std::function<std::unique_ptr<storage::database>(std::size_t sessions)> open);

// The notification of one acquisition. `notifier` may be null.
class holder_notification {
public:
    holder_notification(release_notifier* notifier, std::string name) : notifier_(notifier), name_(std::move(name)) {}

    awaitable<void> arm();
    awaitable<void> signal(); // if armed

private:
    release_notifier* notifier_;
    std::string name_;
    bool armed_ = false;
};

} // namespace baton::lock
