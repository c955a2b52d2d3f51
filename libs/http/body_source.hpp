#pragma once

#include "libs/base/asio.hpp"

#include <string>

namespace baton::http {

// A body that is produced while it is sent, such as server-sent events. The listener asks for one piece after the other
// and asks for the next one only once the peer's system has taken the piece before, so a slow reader holds up its own
// source and nothing else; one that takes no byte of a piece for `write_limit` is cut off. The source is destroyed with
// the connection. On the loop only.
class body_source {
public:
    virtual ~body_source() = default;

    // Waits for the next piece; empty text ends the body, and the connection with it. May throw when cancelled.
    virtual awaitable<std::string> next() = 0;

    // The reader has gone or the server stops: makes a next() that waits, and every later one, return empty text.
    virtual void close() = 0;
};

} // namespace baton::http
