#pragma once
// Whom a command is asked, whatever the connection is like.

#include "libs/base/asio.hpp"
#include "libs/base/time.hpp"
#include "locks/redis/location.hpp"
#include "locks/redis/wire.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <vector>

namespace baton::lock {

class redis_peer {
public:
    virtual ~redis_peer() = default;

    virtual redis_location const& where() const = 0;
    // The answer, which may be an error. Throws unavailable when there is none by then; the effect is unknown, and the
    // connection ends, since what came later would be taken for the answer to something else.
    virtual awaitable<redis_reply> call(redis_command const& words, instant until) = 0;
};

// What comes ahead of all other commands; the connection is of no use where one of them fails.
std::vector<redis_command> redis_introduction(redis_location const& to);

// Closes it so that the kernel does not go on with what was written: an answer that nobody waits for is no use, and
// what is asked that late would meet what was asked since.
void redis_drop(asio::ip::tcp::socket& socket);

} // namespace baton::lock
