#pragma once
// Wakes those who wait for a record or a lease when it is released: beside the row, its holder holds a named lock of
// the server (GET_LOCK), for which they block. Nothing rests on it but how soon and how cheaply they look again: the
// named lock of another server of a cluster, of a holder that died, or of one that has not taken it yet wakes them
// early.

#include "libs/base/asio.hpp"
#include "libs/base/time.hpp"

#include <functional>
#include <memory>
#include <string>

namespace baton::storage {
class database;
}

namespace baton::lock {

class wake_hint {
public:
    virtual ~wake_hint() = default;

    // Of the holder; what fails of them is forgotten.
    virtual awaitable<void> raise(std::string name) = 0;
    virtual awaitable<void> lower(std::string name) = 0;
    // Of one that waits: false at once when too many wait already. Ends by itself within `span_of_wait`, and not before
    // when it is cancelled.
    virtual awaitable<bool> wait(std::string name) = 0;

    static constexpr duration span_of_wait = 1s;
};

// `open` makes a database of that many sessions on the same server; called when it is needed first.
std::unique_ptr<wake_hint> make_wake_hint(std::function<std::unique_ptr<storage::database>(std::size_t sessions)> open);

} // namespace baton::lock
