#pragma once

#include "libs/base/asio.hpp"
#include "libs/base/time.hpp"
#include "libs/http/message.hpp"

#include <string>

namespace baton::trigger {

// The client that a call is for.
struct call_target {
    std::string instance;
    std::string address; // empty: it fetches its calls
    std::string secret;  // shown to the client; empty in a probe
};

// The way by which calls of this node reach a client. Whoever calls need not know which way it is. On the loop only.
class client_line {
public:
    virtual ~client_line() = default;

    // The client's answer to one call within `limit`. Throws http::unreachable, which tells whether the client may have
    // got the call.
    virtual awaitable<http::response> call(call_target to, char const* path, std::string body, duration limit) = 0;
};

} // namespace baton::trigger
