#pragma once

#include "libs/base/task_group.hpp"
#include "libs/http/client.hpp"
#include "trigger/clients/registry.hpp"
#include "trigger/dispatcher/attempts.hpp"
#include "trigger/dispatcher/carrier.hpp"
#include "trigger/dispatcher/open_set.hpp"
#include "trigger/membership/membership.hpp"
#include "trigger/term.hpp"

#include <set>
#include <string>

namespace baton::trigger {

// Settles executions that were sent by a node that died: nobody knows whether a client has them. First every live node
// has heard of this epoch (or is gone), so that nobody delivers under an older one; then the live clients of the
// service are asked, in one grouped request each, and this epoch makes them refuse older ones from then on; and what no
// live client knows is sent as the next attempt. Part of a term.
class doubts {
public:
    doubts(term& of, open_set& open, attempts& next, registry& clients, membership const& nodes, carrier& here,
           http::client& http, asio::any_io_executor loop);

    void add(flight& one, std::string cause); // node_gone, take_over

    awaitable<void> run();

    bool announced() const { return announced_; }

private:
    awaitable<void> announce();
    awaitable<void> tell_node(std::string incarnation);
    awaitable<void> tell_clients();
    awaitable<bool> step();                      // true: none is left
    awaitable<bool> settle(std::string service); // the doubts of one service

    term& term_;
    open_set& open_;
    attempts& next_;
    registry& clients_;
    membership const& nodes_;
    carrier& here_;
    http::client& http_;
    bool announced_ = false;
    std::set<std::string> told_; // nodes
    waker bell_;
    task_group tellers_;
};

} // namespace baton::trigger
