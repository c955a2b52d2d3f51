#pragma once
// Where Redis servers are: redis://[user:password@]host[:port][/db], or for independent ones, of which a majority
// decides, redlock://[user:password@]host[:port],host[:port],host[:port][/db]. User and password may contain %xx.

#include <cstdint>
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
};

inline constexpr char majority_scheme[] = "redlock://";

// One server, or three or more with the scheme of majorities. Throws std::invalid_argument.
std::vector<redis_location> parse_redis_url(std::string const& url);

} // namespace baton::lock
