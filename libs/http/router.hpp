#pragma once
// Maps requests to handlers, and failures of handlers to HTTP answers.

#include "libs/http/message.hpp"

#include <string>
#include <vector>

namespace baton::http {

// A table of endpoints: method and path pattern to handler. A pattern consists of literal segments and parameters, such
// as "/api/v1/tasks/{id}/next". A parameter matches one non-empty segment; if two patterns match, a literal segment
// takes precedence over a parameter. Add all endpoints before the listener starts.
class router {
public:
    void add(verb method, std::string pattern, handler handle);

    // Answers GET and HEAD where no pattern matches; without it they are answered 404.
    void otherwise(handler handle) { otherwise_ = std::move(handle); }

    // Calls the matching endpoint with `params` filled in. Answers 404 if no pattern matches, and 405 with Allow if
    // only the method does not match. HEAD falls back to GET and drops the body. Exceptions of the handler become
    // problem answers: invalid_input 400, unavailable 503 (overloaded also with Retry-After), any other 500, which is
    // logged and tells the caller no details. Cancellation propagates.
    awaitable<response> handle(request message) const;

private:
    struct endpoint {
        verb method;
        std::vector<std::string> segments;
        handler handle;
        std::string pattern; // names the part of the loop's step
    };
    endpoint const* find(verb method, std::vector<std::string> const& path) const;
    response refusal(std::vector<std::string> const& path) const;
    bool falls_to_otherwise(verb method, std::vector<std::string> const& path) const;
    awaitable<response> choose(request& message) const;
    awaitable<response> dispatch(request& message) const;

    std::vector<endpoint> endpoints_;
    handler otherwise_;
};

} // namespace baton::http
