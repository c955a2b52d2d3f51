#pragma once
// Locks that are held while a majority of independent Redis servers has the key of one owner (Redlock: Redis,
// Distributed Locks with Redis). It outlives the loss of a minority of the servers, of any of which nothing is
// replicated to another. Still for efficiency: clocks that step and servers that forget give a lock twice, and there is
// no token (M. Kleppmann, How to do distributed locking, 2016). A server that forgets must stay away for the longest
// time of a lock.
//
// All servers are asked at once, and what the majority says counts as soon as it has; its time counts from before the
// first was asked. Who waits looks again after a random while, longer each time, lest those who have some servers each
// meet again. Each try has an owner of its own: a command that comes late touches nothing of a later try.

#include "libs/base/random.hpp"
#include "locks/redis/server.hpp"

#include <vector>

namespace baton::lock {

struct majority_parts {
    std::vector<redis_server*> servers; // they outlive the kind
    asio::any_io_executor loop;
    time_source& time;
    random_source& random;

    std::size_t quorum() const { return servers.size() / 2 + 1; }
};

std::unique_ptr<lock_kind> make_majority_kind(majority_parts parts);

} // namespace baton::lock
