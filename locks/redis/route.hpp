#pragma once
// Finds the server that has a key: a single server, the master that sentinels name, or a node of a cluster. On the loop
// only. A route keeps its connections, and connects again after a failure.

#include "locks/redis/connection.hpp"

#include <memory>
#include <optional>
#include <string>

namespace baton::lock {

// A command on its way to the server that has its key, perhaps over several servers. A server that redirects or rejects
// the command does not execute it.
struct redis_routed_command {
    std::string key;
    instant until; // of all attempts

    std::shared_ptr<redis_connection> connection = {}; // to the next server to try
    std::optional<redis_location> asking_at = {};      // the target of an ASK redirect, for this command alone
    int redirects = 0;                                 // in a row
};

class redis_route {
public:
    virtual ~redis_route() = default;

    // Sets `connection`. Throws unavailable.
    virtual awaitable<void> connect(redis_routed_command& command) = 0;
    // Learns from an error answer. Returns how long to wait before the next connect(); nothing if the error is final.
    virtual std::optional<duration> handle_error(redis_routed_command& command, std::string const& error) = 0;
    // Any thread. Keys with the same number are on the same server, as far as is known.
    virtual unsigned partition_of(std::string const&) const { return 0; }
    // A blocking connection failed for this key: the next connect() makes sure that the server is still the right one.
    virtual void distrust(std::string const&) {}
    // The server to subscribe at for releases. Throws unavailable.
    virtual awaitable<redis_location> find_publisher(instant until) = 0;
};

// True if the first word of the error is `word`.
bool has_code(std::string const& error, char const* word);

std::unique_ptr<redis_route> make_route_to(redis_location where, redis_connection_deps deps);

} // namespace baton::lock
