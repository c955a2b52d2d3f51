#pragma once
// Redlock (Redis, Distributed Locks with Redis): a lock is held while a majority of independent Redis servers has its
// key with the same owner. It survives the loss of a minority; the servers do not replicate to each other. Its
// guarantee is efficiency only: a clock step or a server that forgets its keys can grant a lock twice, and there is no
// token (M. Kleppmann, How to do distributed locking, 2016). A server that forgot must stay away for the longest ttl.
//
// All servers are called at once, and the majority's answer counts as soon as it is complete. The ttl counts from
// before the first call. A refused waiter tries again after a random pause that grows, so that waiters with some votes
// each do not meet again. Each try has its own owner, so that a late command does not affect a later try.

#include "libs/base/random.hpp"
#include "locks/redis/open_votes.hpp"
#include "locks/redis/server.hpp"

#include <vector>

namespace baton::lock {

struct majority_deps {
    std::vector<redis_server*> servers; // must outlive the kind
    asio::any_io_executor loop;
    time_source& time;
    random_source& random;
    open_votes& open; // must outlive the kind's calls

    std::size_t quorum() const { return servers.size() / 2 + 1; }
};

std::unique_ptr<lock_kind> make_majority_kind(majority_deps deps);

} // namespace baton::lock
