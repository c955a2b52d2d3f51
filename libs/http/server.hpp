#pragma once

#include "libs/base/time.hpp"
#include "libs/http/message.hpp"
#include "libs/http/router.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace baton::http {

struct server_settings {
    std::string address = "127.0.0.1";     // an IP address
    std::uint16_t port = 0;                // 0: any free one
    std::size_t body_limit = 4u << 20;     // bytes; a larger request gets 413 and the connection is closed
    std::size_t header_limit = 16u << 10;  // bytes; the same with 431
    duration read_limit = 30s;             // for one request, from its first byte to its last; then 408 and closed
    duration idle_limit = 75s;             // before the first request and between two; then closed
    duration write_limit = 30s;            // for one answer; then closed
    std::size_t connection_limit = 20'000; // a further one is accepted, answered 503 and closed
};

// Accepts HTTP/1.1 with keep-alive and serves each connection by a coroutine on the loop. Pipelined requests are
// answered in order. Malformed requests get 400. A handler that throws costs its caller a 500; one that ends with
// operation_aborted costs the connection. Must outlive run().
class server {
public:
    virtual ~server() = default;

    virtual std::uint16_t port() const = 0; // bound by the constructor's bind

    // Serves until cancelled; then stops accepting, closes idle connections, lets requests in progress finish for at
    // most `drain`, and returns. What is then left is cancelled; run() still waits for it to end, so that no handler
    // outlives it: one that does not heed cancellation holds it up. Once only.
    virtual awaitable<void> run(duration drain) = 0;
};

// Binds at once; throws unavailable naming address and port when it cannot, invalid_input (field "address") for what is
// no IP address.
std::unique_ptr<server> make_server(asio::any_io_executor loop, time_source& time, server_settings settings,
                                    handler handle);

// The same for a router, which must outlive the server; requests are moved into it.
std::unique_ptr<server> make_server(asio::any_io_executor loop, time_source& time, server_settings settings,
                                    router const& endpoints);

} // namespace baton::http
