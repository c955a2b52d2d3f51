#pragma once

#include "libs/base/loop.hpp"
#include "libs/http/client.hpp"
#include "libs/protocol/figures_wire.hpp"
#include "libs/storage/clients.hpp"
#include "libs/storage/nodes.hpp"
#include "web/node_failure.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace baton::web {

// The last figures of a client that its home returned, with the ages as of now; or why they are not known.
struct told_figures {
    std::optional<protocol::client_figures> figures;
    std::optional<node_failure> failure{}; // there without figures
    std::string why{};                     // likewise, for people
};

// Asks the home nodes for what only their memory has: heartbeats, free slots, executions in flight. The nodes are asked
// in parallel, one request to a node at a time, and each for a bounded time. An answer is kept for a while, so that
// many pages cost a node one question. On the loop only.
class live_figures {
public:
    struct limits {
        duration answer = 300ms; // of a node
        duration keep = 1s;      // an answer, or the failure of a node
    };
    live_figures(time_source& time, storage::database& shared, http::client& http, limits given)
        : time_(time), nodes_(shared), http_(http), limits_(given)
    {}

    // In the order of the clients; at most most_figures of them. Throws `unavailable` if the nodes cannot be read.
    awaitable<std::vector<told_figures>> of(std::vector<storage::client_record> const& clients);

private:
    struct kept {
        std::optional<protocol::client_figures> figures; // nothing: the node did not name the client
        instant at;
    };
    // A node, with its answers that are kept.
    struct node_answers {
        storage::node_record node;
        std::unordered_map<std::string, kept> clients; // by instance
        std::optional<node_failure> failure;           // of the last request
        std::string failure_why;                       // for people
        instant failed_at{};
        bool asking = false; // a request is under way
        std::set<waker*> waiting;
    };
    // The questions of one request to web.
    struct round {
        explicit round(asio::any_io_executor loop) : ended(std::move(loop)) {}
        std::size_t open = 0;
        instant until{};
        waker ended;
    };

    awaitable<void> read_nodes();
    awaitable<void> await_answers(round& all);
    awaitable<void> refresh(node_answers& one, std::vector<std::string> instances, round& all);
    awaitable<void> ask(node_answers& one, protocol::figures_request wanted);
    awaitable<void> await_other(node_answers& one, instant until);
    void keep(node_answers& one, protocol::figures_request const& asked, protocol::figures_answer const& answer);
    std::vector<std::string> stale(node_answers const& one, std::vector<std::string> const& instances) const;
    told_figures show(storage::client_record const& client) const;

    time_source& time_;
    storage::nodes nodes_;
    http::client& http_;
    limits limits_;
    std::map<std::string, node_answers> lines_; // by incarnation
    std::optional<instant> nodes_read_at_;
};

} // namespace baton::web
