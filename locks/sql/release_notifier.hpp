#pragma once
// Wakes those who wait for a lock in a database when it is released: beside the row, its holder holds a named lock of
// the server (GET_LOCK), for which they block. Nothing rests on it but how soon and how cheaply they look again: the
// named lock of another server of a cluster, of a holder that died, or of one that has not taken it yet wakes them
// early.

#include "libs/base/loop.hpp"
#include "libs/base/time.hpp"

#include <functional>
#include <memory>
#include <string>

namespace baton::storage {
class database;
}

namespace baton::lock {

class release_notifier {
public:
    virtual ~release_notifier() = default;

    // Of the holder; what fails of them is forgotten.
    virtual awaitable<void> raise(std::string name) = 0;
    virtual awaitable<void> lower(std::string name) = 0;
    // Of one that waits: a bell that rings when it may be time to look, in about `span_of_wait` at the latest. Whoever
    // does not wait for it any more drops it. Null when too many listen already.
    virtual std::shared_ptr<waker> listen(std::string name) = 0;

    static constexpr duration span_of_wait = 1s;
};

// `open` makes a database of that many sessions on the same server; called when it is needed first.
std::unique_ptr<release_notifier>
make_release_notifier(asio::any_io_executor loop,
                      std::function<std::unique_ptr<storage::database>(std::size_t sessions)> open);

// That of one acquisition, of which `of` may be null.
class holder_notification {
public:
    holder_notification(release_notifier* of, std::string name) : of_(of), name_(std::move(name)) {}

    awaitable<void> raise();
    awaitable<void> lower(); // if it was raised

private:
    release_notifier* of_;
    std::string name_;
    bool raised_ = false;
};

} // namespace baton::lock
