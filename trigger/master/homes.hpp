#pragma once

#include "trigger/master/node_calls.hpp"
#include "trigger/master/term_scope.hpp"

#include <optional>
#include <string>
#include <vector>

namespace baton::trigger {

// The calls to nodes over HTTP; questions to this node and its clients are calls of functions. Part of a term.
class homes final : public node_calls {
public:
    // `assign_limit`: the time for the answer to an assignment.
    homes(term_scope const& scope, node_parts const& node, duration assign_limit)
        : scope_(scope), node_(node), assign_limit_(assign_limit)
    {}

    awaitable<std::optional<protocol::announce_answer>> announce(std::string node) override;
    awaitable<assign_outcome> assign(std::string node, std::string text) override;
    awaitable<protocol::ask_answer> ask(std::string node, protocol::ask_request request) override;
    awaitable<void> cancel(std::string instance, std::vector<execution_id> ids) override;
    awaitable<void> ended(std::string node, std::vector<protocol::attempt_key> which) override;
    awaitable<std::vector<execution_id>> withdraw(std::string node, std::vector<execution_id> ids) override;

private:
    struct target {
        http::url url;
        http::request message;
    };
    static target to(storage::node_record const& node, char const* path, std::string text);
    awaitable<std::optional<http::response>> call(std::string node, char const* path, std::string text, duration limit);

    term_scope scope_;
    node_parts node_;
    duration assign_limit_;
};

} // namespace baton::trigger
