#pragma once
// The parts of a store that its locks use.

#include "libs/base/loop.hpp"
#include "libs/base/post_queue.hpp"
#include "libs/base/random.hpp"
#include "libs/base/task_group.hpp"
#include "locks/core/acquisition.hpp"
#include "locks/include/baton/lock/metrics.hpp"

#include <memory>
#include <set>
#include <stop_token>
#include <string>

namespace baton::lock {

class held_lock;

// Shared by all locks of a store.
struct store_context {
    asio::any_io_executor loop;
    std::shared_ptr<void> loop_owner; // keeps the loop alive for objects of callers that outlive the store
    time_source& time;
    random_source& random;
    task_group& tasks;
    post_queue& posts;       // from callers' threads to the loop
    std::string incarnation; // names this process; the owner of an acquisition is this and a random number
    std::stop_token closing; // requested when the store closes
};

// Shared by the locks of one kind in a store. Metrics and held locks belong to the loop.
struct lock_context {
    store_context& store;
    lock_kind& kind;
    kind_metrics metrics = {};
    std::set<std::shared_ptr<held_lock>> held = {}; // held, or lost and not unlocked yet
};

} // namespace baton::lock
