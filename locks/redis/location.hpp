#pragma once
// Where Redis is: one server, redis://[user:password@]host[:port][/db]; independent ones, of which a majority decides,
// redlock://[user:password@]host[:port],host[:port],host[:port][/db]; the master that sentinels name,
// redis-sentinel://[user:password@]host[:port],host[:port]/master[/db]; or a cluster, of which some nodes suffice,
// redis-cluster://[user:password@]host[:port],host[:port]. User and password may contain %xx; sentinels are not told
// them, but those of the store's options.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace baton::lock {

struct redis_location {
    std::string host;
    std::uint16_t port = 6379;
    std::string user; // empty: the server's "default"
    std::string password;
    unsigned database = 0;

    std::string text() const; // for messages: host:port
    // The same user, password and database elsewhere; nothing where that is no address.
    std::optional<redis_location> at(std::string const& name, std::string const& number) const;
    bool operator==(redis_location const&) const = default;
};

enum class redis_setup { server, majority, sentinels, cluster };

struct redis_url {
    redis_setup setup = redis_setup::server;
    std::vector<redis_location> servers; // or the sentinels, as nobody yet
    redis_location login;                // what all servers have in common
    std::string master;                  // its name among the sentinels
};

// Throws std::invalid_argument.
redis_url parse_redis_url(std::string const& url);

} // namespace baton::lock
