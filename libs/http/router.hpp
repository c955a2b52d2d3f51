#pragma once

#include "libs/http/message.hpp"

#include <string>
#include <vector>

namespace baton::http {

// An endpoint table: method and path pattern to handler. Patterns are literal segments and "{name}" segments:
// "/api/v1/tasks/{id}/next". Built before the listener starts, read-only afterwards.
class router {
public:
    void add(verb method, std::string pattern, handler handle);

    // Finds the endpoint, fills `params`, calls it. 404 when no pattern matches, 405 with Allow when only the method
    // does not; HEAD falls back to GET without its body. What the handler throws becomes a problem answer:
    // invalid_input 400, unavailable 503, anything else but cancellation 500 (logged, no detail to the caller).
    awaitable<response> handle(request message) const;

private:
    struct endpoint {
        verb method;
        std::vector<std::string> segments;
        handler handle;
    };
    std::vector<endpoint> endpoints_;
};

} // namespace baton::http
