#pragma once

#include "libs/http/message.hpp"

#include <string>
#include <vector>

namespace baton::http {

// An endpoint table: method and path pattern to handler. Patterns are literal segments and "{name}" segments:
// "/api/v1/tasks/{id}/next". A parameter matches one segment that is not empty; where two patterns match, a literal
// segment goes before a parameter. Built before the listener starts, read-only afterwards.
class router {
public:
    void add(verb method, std::string pattern, handler handle);

    // Finds the endpoint, fills `params`, calls it. 404 when no pattern matches, 405 with Allow when only the method
    // does not; HEAD falls back to GET without its body. What the handler throws becomes a problem answer:
    // invalid_input 400, unavailable 503, anything else but cancellation 500 (logged, no detail to the caller).
    // Cancellation propagates.
    awaitable<response> handle(request message) const;

private:
    struct endpoint {
        verb method;
        std::vector<std::string> segments;
        handler handle;
    };
    endpoint const* find(verb method, std::vector<std::string> const& path) const;
    response refusal(std::vector<std::string> const& path) const;
    awaitable<response> dispatch(request& message) const;

    std::vector<endpoint> endpoints_;
};

} // namespace baton::http
