#pragma once

#include "libs/base/asio.hpp"
#include "libs/protocol/node_wire.hpp"

#include <optional>
#include <string>
#include <vector>

namespace baton::trigger {

// The calls of a master to nodes, and through them to their clients, as the parts of a term see them that decide when
// to call and what an answer means. On the loop only.
class node_calls {
public:
    // This epoch has begun. Nothing if the node does not answer.
    virtual awaitable<std::optional<protocol::announce_answer>> announce(std::string node) = 0;

    struct assign_outcome {
        std::optional<int> status; // of the answer, if there was one
        std::size_t accepted = 0;  // with status 200: so many of the first
        bool maybe_there = false;  // without an answer: the node may have the assignment
    };
    // `text`: an assign_request.
    virtual awaitable<assign_outcome> assign(std::string node, std::string text) = 0;

    // Asks clients through their home `node`, and returns their answers; empty if the node does not answer.
    virtual awaitable<protocol::ask_answer> ask(std::string node, protocol::ask_request request) = 0;

    // Tells a client to cancel these, through its home. A hint, which may be lost.
    virtual awaitable<void> cancel(std::string instance, std::vector<execution_id> ids) = 0;

    // Tells a home that the ends of these executions of its clients are recorded. A hint, which may be lost.
    virtual awaitable<void> ended(std::string node, std::vector<protocol::attempt_key> which) = 0;

    // Takes back the executions that the node has not sent to a client. Empty if the node does not answer.
    virtual awaitable<std::vector<execution_id>> withdraw(std::string node, std::vector<execution_id> ids) = 0;

protected:
    ~node_calls() = default;
};

} // namespace baton::trigger
