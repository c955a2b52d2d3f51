#pragma once
// The way to the node of a cluster that has a key's slot. It is learnt from the nodes' own answers: who is asked for a
// slot that is not his says whose it is, and that is remembered until he says otherwise or cannot be reached. Of nodes
// it knows those of the URL and those that were named for a slot.

#include "locks/redis/route.hpp"

namespace baton::lock {

std::unique_ptr<redis_route> make_cluster_route(redis_url const& of, redis_connection_parts parts);

} // namespace baton::lock
