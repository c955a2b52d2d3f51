#pragma once
// The client's HTTP endpoints for nodes: probe, dispatch, recall, cancel and query.

#include "client-sdk/src/engine.hpp"
#include "libs/http/message.hpp"
#include "libs/http/router.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace baton::client {

// The caller provides the listener, or a simulated network. On the loop only.
class routes {
public:
    // Which incarnation the client is. Requests without its secret get 401, except the probe of the address.
    struct identity {
        std::string instance;
        std::string secret;
    };
    // `changed` is called after a request that may have given the engine something to start, stop or send.
    routes(engine& state, time_source const& time, identity self, std::function<void()> changed);
    routes(routes const&) = delete;
    routes& operator=(routes const&) = delete;

    awaitable<http::response> handle(http::request message) const;
    // No body is read of a request without the secret, but the short one of a probe.
    http::admission admit(http::request const& head) const;
    // The answer to a call that came by another way than the listener, from a node that has proved itself.
    awaitable<http::response> answer(std::string path, std::string body) const;
    void become(identity self) { self_ = std::move(self); } // from now on
    // A node has taken this registration, so that no earlier one counts.
    void registered(std::int64_t generation) { generation_ = std::max(generation_, generation); }

private:
    // The last dispatch or recall of each node, and the answer to a dispatch.
    struct last_dispatch {
        std::int64_t number = 0;
        std::optional<http::response> answer;
        instant at{};
    };

    using action = http::response (routes::*)(nlohmann::json const&) const;

    void add(char const* path, action act);
    bool authorised(http::request const& message) const;
    http::response stale(protocol::term_id term) const;
    http::response dispatch(std::string const& body) const;
    http::response cancel(nlohmann::json const& body) const;
    http::response query(nlohmann::json const& body) const;
    http::response recall(nlohmann::json const& body) const;
    http::response probe(std::string const& body) const;
    void remember(std::string const& node, last_dispatch what) const;
    http::response held(protocol::term_id term, std::vector<protocol::held_execution> which) const;

    engine& engine_;
    time_source const& time_;
    identity self_;
    std::int64_t generation_ = 0; // of the last registration that a node took
    std::function<void()> changed_;
    mutable std::map<std::string, last_dispatch> last_; // by the node's incarnation
    http::router router_;
};

} // namespace baton::client
