#include "cli/database_door.hpp"

#include <utility>

namespace baton::cli {

database_door::database_door(http::handler process, std::function<bool(http::request const&)> may_know)
    : process_(std::move(process)), may_know_(std::move(may_know))
{}

http::handler database_door::routes()
{
    return [this](http::request const& message) {
        bool const passes = open_ || message.path() == "/healthz";
        return passes ? process_(message) : answer(message);
    };
}

// Without Retry-After, which would keep a client from the other nodes.
awaitable<http::response> database_door::answer(http::request const& message) const
{
    std::string detail = "the database is not available yet";
    if (may_know_(message))
        detail += ": " + reason_;
    auto closed = http::problem(503, "Service Unavailable", detail);
    closed.headers.set("Cache-Control", "no-cache");
    closed.headers.set("X-Content-Type-Options", "nosniff");
    co_return closed;
}

} // namespace baton::cli
