#pragma once
// Waits until the store may grant a refused lock. The request that waits in the server cannot be cancelled, so it runs
// beside the caller, who may leave before it ends. On the loop.

#include "locks/core/caller_queue.hpp"
#include "locks/core/lock_context.hpp"

namespace baton::lock {

// How long a caller pauses after the store did not answer.
inline constexpr duration pause_when_unavailable = 250ms;

struct change_wait {
    std::shared_ptr<acquisition> handle;
    refusal refused;
    instant until;
    // An earlier try had no answer. A release follows, which must not overlap the request: a stopped caller waits for
    // its end. Otherwise a stopped caller leaves at once.
    bool in_doubt = false;
};

// Returns when the lock may be free, at `until`, or when the caller is stopped. Throws what the wait throws, except
// `unavailable`, after which it pauses: the next try reports it.
awaitable<void> await_change(store_context& store, waiting_caller const& caller, change_wait wait);

} // namespace baton::lock
