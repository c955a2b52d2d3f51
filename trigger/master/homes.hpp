#pragma once

#include "trigger/master/term_scope.hpp"

#include <optional>
#include <string>
#include <vector>

namespace baton::trigger {

// The master's calls to nodes, and through them to their clients. This node is called without HTTP. Part of a term.
class homes {
public:
    homes(term_scope const& scope, node_parts const& node) : scope_(scope), node_(node) {}

    // One request to a node, which shows the node's secret. Nothing if the node is unknown or does not answer.
    awaitable<std::optional<http::response>> call(std::string node, char const* path, std::string text, duration limit);

    // What the clients answered, through their home `node`; empty if the node does not answer.
    awaitable<protocol::ask_answer> ask(std::string node, protocol::ask_request request);

    // Tells a client to cancel these, through its home. A hint, which may be lost.
    awaitable<void> cancel(std::string instance, std::vector<execution_id> ids);

    // Takes back the executions that the node has not sent to a client. Empty if the node does not answer.
    awaitable<std::vector<execution_id>> withdraw(std::string node, std::vector<execution_id> ids);

private:
    term_scope scope_;
    node_parts node_;
};

} // namespace baton::trigger
