#pragma once
// Locks on ZooKeeper. Each acquisition has an ephemeral sequential node in a queue. The first node or nodes hold the
// lock, and each other node watches the nodes that it must wait for (queue_position.hpp). The lock is granted in order
// of arrival. The end of a session removes its nodes, held or waiting.

#include "libs/base/random.hpp"
#include "locks/core/acquisition.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace baton::lock {

class zoo_session;

// `root` is the parent of one node per lock name; it is created if missing. Kinds with the same root share their names.
std::unique_ptr<lock_kind> make_zookeeper_kind(char const* name, std::shared_ptr<zoo_session> session,
                                               asio::any_io_executor loop, std::string root, random_source& random);

// Throws `unavailable`.
awaitable<void> make_zookeeper_root(zoo_session& session, std::string root);
// Removes the nodes of names that have no holder and no waiter and are older than `age` by the host's clock. Returns
// how many. A later acquisition creates the node again. Servers that know container nodes do the same by themselves,
// later.
awaitable<std::size_t> reap_zookeeper(zoo_session& session, std::string root, duration age);

} // namespace baton::lock
