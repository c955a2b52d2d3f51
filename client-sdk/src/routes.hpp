#pragma once
// The client's HTTP endpoints for nodes: dispatch, cancel, query, and the announcement of an epoch.

#include "client-sdk/src/engine.hpp"
#include "libs/http/message.hpp"
#include "libs/http/router.hpp"

#include <functional>
#include <map>
#include <string>

namespace baton::client {

// The caller provides the listener, or a simulated network. On the loop only.
class routes {
public:
    // `secret`: that of the incarnation; a request without it gets 401. `changed` is called after a request that may
    // have given the engine something to start, stop or send.
    routes(engine& state, time_source const& time, std::string secret, std::function<void()> changed);
    routes(routes const&) = delete;
    routes& operator=(routes const&) = delete;

    awaitable<http::response> handle(http::request message) const;
    void expect(std::string const& secret) { expected_ = "Bearer " + secret; } // from now on

private:
    // The last dispatch of each node, and its answer.
    struct last_dispatch {
        std::int64_t number = 0;
        http::response answer;
        instant at{};
    };

    using action = http::response (routes::*)(nlohmann::json const&) const;

    void add(char const* path, action act);
    bool authorised(http::request const& message) const;
    http::response stale() const;
    http::response dispatch(std::string const& body) const;
    http::response cancel(nlohmann::json const& body) const;
    http::response query(nlohmann::json const& body) const;
    http::response epoch(nlohmann::json const& body) const;
    void remember(std::string const& node, last_dispatch what) const;
    http::response held(std::vector<protocol::held_execution> which) const;

    engine& engine_;
    time_source const& time_;
    std::string expected_; // the Authorization field with the secret
    std::function<void()> changed_;
    mutable std::map<std::string, last_dispatch> last_; // by the node's incarnation
    http::router router_;
};

} // namespace baton::client
