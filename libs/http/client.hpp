#pragma once
// Sending HTTP requests: the interface (seam 3) and its implementation with pooled connections.

#include "libs/base/error.hpp"
#include "libs/base/time.hpp"
#include "libs/http/message.hpp"

#include <memory>

namespace baton::http {

// The server could not be reached or did not answer in time. `possibly_delivered` is false only if no byte of the
// request can have arrived: the connection was refused, the name did not resolve, or a new connection failed before the
// first byte was written.
class unreachable : public unavailable {
public:
    unreachable(std::string why, bool possibly_delivered)
        : unavailable(std::move(why)), possibly_delivered_(possibly_delivered)
    {}
    bool possibly_delivered() const noexcept { return possibly_delivered_; }

private:
    bool possibly_delivered_;
};

// Sends requests (seam 3). On the loop only. Real: make_client. Simulated: sim::network.
class client {
public:
    virtual ~client() = default;

    // Sends one request and returns the answer, whatever its HTTP status. `limit` includes the wait for a free
    // connection and connecting. Throws unreachable if there is no answer in time, or if the answer is malformed or
    // exceeds the body limit; invalid_input for a request that cannot be sent (verb::other, a target with a space).
    // Cancellation ends it with operation_aborted and closes the connection.
    virtual awaitable<response> send(url to, request message, duration limit) = 0;
};

struct client_settings {
    std::size_t connections_per_host = 8; // of one owner, kept alive and reused; further requests wait for a free one
    std::size_t connection_limit = 8'000; // to all hosts; the one that has been idle for longest makes room
    duration idle_limit = 30s;            // an idle connection is closed after this time
    std::size_t body_limit = 16u << 20;   // bytes of an answer's body
};

// A client with kept-alive connections, pooled by host, port and the owner of the request: many clients may be behind
// one address, and one that does not answer must not keep the connections of another. Requests that wait for a
// connection get one in the order of their arrival. If the server closed a kept connection before a byte of the answer
// was read, the request is sent again on a new connection, unless it is to be sent once. For a minute
// after such a failure, requests that are to be sent once use new connections to that host, because it may close kept
// ones without a word. Host names are looked up in parallel and remembered (resolver.hpp).
std::unique_ptr<client> make_client(time_source& time, client_settings settings = {});

} // namespace baton::http
