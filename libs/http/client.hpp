#pragma once

#include "libs/base/error.hpp"
#include "libs/base/time.hpp"
#include "libs/http/message.hpp"

#include <memory>

namespace baton::http {

// The other side could not be reached or did not answer in time. `possibly_delivered` is false only when not a byte of
// the request can have arrived (refused, unresolved, or failed before the first byte was written on a new connection).
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

    // One exchange within `limit`, waiting for a free connection and connecting included. Any HTTP status is an answer;
    // no answer, or one that is malformed or over the body limit, throws unreachable. A request that cannot be sent
    // (verb::other, a target with a space) throws invalid_input. Cancellation ends it with operation_aborted and closes
    // that connection.
    virtual awaitable<response> send(url to, request message, duration limit) = 0;
};

struct client_settings {
    std::size_t connections_per_host = 8; // kept alive and reused; more requests than that wait for one
    duration idle_limit = 30s;            // an idle connection is closed after this
    std::size_t body_limit = 16u << 20;   // of an answer, in bytes
};

// Kept-alive connections, pooled by host and port; requests that wait for one get it in the order in which they came. A
// kept connection that the other side has closed in the meantime is replaced and the request sent again only if no byte
// of an answer was read and the request is safe to repeat: all of ours are (executions carry idempotency keys).
std::unique_ptr<client> make_client(time_source& time, client_settings settings = {});

} // namespace baton::http
