#pragma once
// The HTTP listener.

#include "libs/base/time.hpp"
#include "libs/http/message.hpp"
#include "libs/http/router.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace baton::http {

struct server_settings {
    std::string address = "127.0.0.1";     // an IP address
    std::uint16_t port = 0;                // 0: any free port
    std::size_t body_limit = 4u << 20;     // bytes; a larger request is answered 413 and the connection closed
    std::size_t header_limit = 16u << 10;  // bytes; a larger header is answered 431 and the connection closed
    duration read_limit = 30s;             // from the first byte of a request to its last; then 408 and closed
    duration idle_limit = 75s;             // before the first request and between two requests; then closed
    duration write_limit = 30s;            // for one answer; then closed
    std::size_t connection_limit = 20'000; // a further connection is accepted, answered 503 and closed
    std::size_t peer_limit = 20'000; // the same for one address, an IPv6 network of 64 bits being one; not on loopback
    admitter admit{};                // asked for each request that has a body; by default all bodies are read
};

// Accepts HTTP/1.1 with keep-alive and serves each connection by a coroutine on the loop. Pipelined requests are
// answered in order. Malformed requests get 400. A handler that throws costs its caller a 500; one that ends with
// operation_aborted costs the connection. Must outlive run().
class server {
public:
    virtual ~server() = default;

    virtual std::uint16_t port() const = 0; // bound by the constructor's bind

    // Serves until cancelled. Then it stops accepting, closes idle connections and gives requests in progress at most
    // `drain` to finish. Requests that are left are cancelled, and run() waits for their handlers to end: a handler
    // that ignores cancellation delays it. Call it once only.
    virtual awaitable<void> run(duration drain) = 0;
};

// Binds at once. Throws unavailable with the address and port if they cannot be bound, and invalid_input (field
// "address") if the address is not an IP address.
std::unique_ptr<server> make_server(asio::any_io_executor loop, time_source& time, server_settings settings,
                                    handler handle);

// The same for a router, which must outlive the server. Requests are moved, not copied, into the router.
std::unique_ptr<server> make_server(asio::any_io_executor loop, time_source& time, server_settings settings,
                                    router const& endpoints);

} // namespace baton::http
