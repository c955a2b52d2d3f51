#pragma once
// The interface and the handshake that the connections of the loop and of blocking threads share.

#include "libs/base/asio.hpp"
#include "libs/base/time.hpp"
#include "locks/redis/location.hpp"
#include "locks/redis/wire.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <vector>

namespace baton::lock {

class redis_connection_base {
public:
    virtual ~redis_connection_base() = default;

    virtual redis_location const& where() const = 0;
    // Sends the command and returns its answer, which may be an error. Throws unavailable if none arrives in time. The
    // effect is then unknown, and the connection closes: a late answer would be taken for that of the next command.
    virtual awaitable<redis_reply> call(redis_command const& words, instant until) = 0;
};

// The commands that a new connection sends first: login and database. The connection is useless if one of them fails.
std::vector<redis_command> redis_handshake(redis_location const& to);

// Closes the socket so that the kernel discards unsent data: a command that reached the server so late could undo the
// effect of a later one.
void redis_abort(asio::ip::tcp::socket& socket);

} // namespace baton::lock
