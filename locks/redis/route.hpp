#pragma once
// The way to the server that has a key: one server, the master that sentinels name, or a node of a cluster. On the loop
// only. A route keeps its connections, and makes them again after a failure.

#include "locks/redis/connection.hpp"

#include <memory>
#include <optional>
#include <string>

namespace baton::lock {

// One command that goes where its key is, perhaps by several servers; none of those that turn it away executes it.
struct redis_errand {
    std::string key;
    instant until; // for all of it

    std::shared_ptr<redis_connection> by = {}; // whom to ask now
    std::optional<redis_location> aside = {};  // where this command alone is sent to (ASK)
    int redirects = 0;                         // in a row
};

class redis_route {
public:
    virtual ~redis_route() = default;

    // Sets `by`. Throws unavailable.
    virtual awaitable<void> lead(redis_errand& of) = 0;
    // What an error means for the way: how long to wait before `lead` is asked again; nothing when it means nothing.
    virtual std::optional<duration> turned_away(redis_errand& of, std::string const& error) = 0;
    // Any thread. A number that keys have in common which one server has, as far as is known.
    virtual unsigned place_of(std::string const&) const { return 0; }
    // Somebody who went there by himself had no answer: where there is another way, the next to go makes sure of this.
    virtual void doubt(std::string const&) {}
    // Where releases are told. Throws unavailable.
    virtual awaitable<redis_location> find_news(instant until) = 0;
};

// Whether the first word of an error is this.
bool says(std::string const& error, char const* word);

std::unique_ptr<redis_route> make_route_to(redis_location where, redis_connection_parts parts);

} // namespace baton::lock
