#pragma once
// The route to the node of a cluster that has a key's slot. It learns from the nodes' redirects: a node that does not
// have the slot names the one that does. That is remembered until that node redirects too or is unreachable. It knows
// the nodes of the URL and those that redirects named.

#include "locks/redis/route.hpp"

namespace baton::lock {

std::unique_ptr<redis_route> make_cluster_route(redis_url const& url, redis_connection_deps deps);

} // namespace baton::lock
