#pragma once
// URLs of Redis:
//
//     redis://[user:password@]host[:port][/db]                                  one server
//     redlock://[user:password@]host[:port],host[:port],host[:port][/db]        a majority of independent servers
//     redis-sentinel://[user:password@]host[:port],host[:port]/master[/db]      the master that these sentinels name
//     redis-cluster://[user:password@]host[:port],host[:port]                   a cluster, by some of its nodes
//
// User and password may contain %xx. They are for the servers; those for the sentinels are in the store's options.

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
    // The same user, password and database at another address; nothing if the address is invalid.
    std::optional<redis_location> at(std::string const& name, std::string const& number) const;
    bool operator==(redis_location const&) const = default;
};

enum class redis_setup { server, majority, sentinels, cluster };

struct redis_url {
    redis_setup setup = redis_setup::server;
    std::vector<redis_location> servers; // or the sentinels, without login
    redis_location login;                // user, password and database of all servers
    std::string master;                  // the name by which the sentinels know it
};

// Throws std::invalid_argument.
redis_url parse_redis_url(std::string const& url);

} // namespace baton::lock
