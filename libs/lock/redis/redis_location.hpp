#pragma once
// Where Redis servers are: redis://[user:password@]host[:port][/db]. User and password may contain %xx.

#include <cstdint>
#include <string>

namespace baton::lock {

struct redis_location {
    std::string host;
    std::uint16_t port = 6379;
    std::string user; // empty: the server's "default"
    std::string password;
    unsigned database = 0;

    std::string text() const; // for messages: host:port
};

// Throws std::invalid_argument.
redis_location parse_redis_url(std::string const& url);

} // namespace baton::lock
