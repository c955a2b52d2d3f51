#pragma once
// Locks that are the first of a queue of nodes, or the first few: each acquisition has an ephemeral sequential node of
// its own and watches what must go before it can have it (turn.hpp). Who comes first is served first. A session that
// ends takes its nodes with it, held or waiting.

#include "libs/base/random.hpp"
#include "locks/core/acquisition.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace baton::lock {

class zoo_session;

// `root` is the node under which each name has one; it is made when it is missing. Kinds under the same root are of the
// same names.
std::unique_ptr<lock_kind> make_zookeeper_kind(char const* name, std::shared_ptr<zoo_session> in,
                                               asio::any_io_executor loop, std::string root, random_source& random);

// Throws `unavailable`.
awaitable<void> make_zookeeper_root(zoo_session& in, std::string root);
// Removes nodes of names that nobody holds or waits for, if they were made so long ago by the host's clock. Who comes
// meanwhile makes it anew. The server does so itself, sooner or later, unless it is too old to know containers.
awaitable<std::size_t> reap_zookeeper(zoo_session& in, std::string root, duration age);

} // namespace baton::lock
