#pragma once

#include "libs/http/message.hpp"

#include <functional>
#include <string>

namespace baton::cli {

// The answers of a process that listens before its database is available: until `open`, /healthz is answered by the
// process, and everything else with 503, so that a caller tries again instead of waiting. On the loop only.
class database_door {
public:
    // `may_know`: whether the caller may be told the reason, which names servers.
    database_door(http::handler process, std::function<bool(http::request const&)> may_know);

    // For the listener. Must not outlive the door.
    http::handler routes();

    void closed_because(std::string reason) { reason_ = std::move(reason); }
    void open() { open_ = true; }

private:
    awaitable<http::response> answer(http::request const& message) const;

    http::handler process_;
    std::function<bool(http::request const&)> may_know_;
    std::string reason_ = "it has not answered yet";
    bool open_ = false;
};

} // namespace baton::cli
