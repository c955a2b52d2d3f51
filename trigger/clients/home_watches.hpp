#pragma once

#include "libs/base/loop.hpp"
#include "trigger/clients/registry.hpp"
#include "trigger/membership/membership.hpp"

#include <map>
#include <memory>
#include <string>
#include <unordered_map>

namespace baton::trigger {

// The held requests of this node's clients: through them it asks clients to register with another node, when it drains,
// when it is cut off from the master, or when it has more clients than its share. At a bounded rate, so that the other
// nodes keep up. On the loop only.
class home_watches {
public:
    home_watches(membership const& nodes, time_source& time, asio::any_io_executor loop)
        : nodes_(nodes), time_(time), loop_(std::move(loop)), bell_(loop_)
    {}

    // Holds the request of this client. A newer request of the same client ends it.
    awaitable<protocol::watch_answer> hold(std::string instance);

    bool holds(std::string const& instance) const { return held_.contains(instance); }
    // Answers the held request of this client, if there is one.
    void ask(std::string const& instance, protocol::watch_answer answer);

    // From now on asks all clients to move, those that stay again after a while; or does so no longer.
    void send_away(bool wanted);

    // Asks clients to move while there is a reason to. Until cancelled, which answers the held requests: a listener
    // that stops waits for them.
    awaitable<void> run();

    std::size_t size() const { return held_.size(); }

private:
    struct held {
        explicit held(asio::any_io_executor loop) : bell(std::move(loop)) {}
        waker bell;
        protocol::watch_answer answer;
    };
    duration ask_some_to_move();
    duration ask_all_to_move();
    void ask_next(std::string const& address);
    held& turn();
    void end();

    membership const& nodes_;
    time_source& time_;
    asio::any_io_executor loop_;
    waker bell_;
    std::map<std::string, std::shared_ptr<held>> held_; // by instance
    std::string last_asked_;
    bool away_ = false;                              // all clients should go
    std::unordered_map<std::string, instant> asked_; // to go, by instance
    bool ended_ = false;
};

// How many of this node's clients should move now, so that all nodes come to have about the same number within a fifth
// (or one client), a part of the excess at a time. Pure.
std::size_t clients_to_move(std::size_t here, std::vector<std::size_t> const& elsewhere);

// Where these clients should go, as indexes in `elsewhere`; all clients of a node that drains, a part at a time. The
// nodes decide alone, so that they must not all choose the node with the fewest clients: the surplus clients of all
// nodes and the free places below the share stand in two lines, in the same order at each node, and each client takes
// the place opposite. `position`: the number of nodes before this one. May be shorter than the number of clients that
// should move, if no place is free; they choose themselves. Pure.
std::vector<std::size_t> next_homes(std::size_t here, std::vector<std::size_t> const& elsewhere, std::size_t position,
                                    bool drains);

} // namespace baton::trigger
