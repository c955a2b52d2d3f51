#pragma once
// The client's membership: registration, heartbeats, leaving.

#include "client-sdk/src/engine.hpp"
#include "client-sdk/src/node_calls.hpp"
#include "libs/base/reminder.hpp"

#include <functional>
#include <string>

namespace baton::client {

// Keeps the client registered with one node of the list. On the loop only.
class registration {
public:
    struct watchers {
        std::function<void()> heard; // after each heartbeat that a node has answered
        std::function<void(protocol::register_request const&)> new_name; // its instance and secret count from now on
        std::function<void(std::int64_t generation)> registered;         // a node has taken this registration
        std::function<void()> told_to_fetch;                             // the home has calls, and cannot call
    };

    registration(asio::any_io_executor loop, node_calls& calls, engine& state, link_settings settings, watchers notify);

    // Registers with one node and sends it heartbeats; moves on to the next when it fails. Until cancelled.
    awaitable<void> beat();
    void beat_now() { beat_bell_.wake(); } // for news that nodes should have: the client drains
    // Watches the connection to the home beside `beat`: registers with another node at once when the home dies, or when
    // it asks the client to move. Until cancelled.
    awaitable<void> watch();

    // Stops the heartbeats, which would register again, and tells the node that hears this client that it leaves; when
    // that one does not answer, the others in turn until `until`.
    awaitable<void> leave(instant until);

    bool registered() const { return status_.registered; }
    std::size_t home() const { return node_; } // the node of the list that hears this client, or is tried next
    // The name under which the nodes know this client.
    std::string const& instance() const { return settings_.identity.instance; }
    std::string const& secret() const { return settings_.identity.secret; }
    std::string const& ticket() const { return ticket_; }   // of the last registration that a node took
    std::int64_t generation() const { return generation_; } // of the same

private:
    struct status {
        bool registered = false;
        bool lapsed = false;  // not registered: the home cannot vouch for its clients at present, but knows this one
        bool beating = false; // a heartbeat or registration is on its way
        bool leaving = false;
    };
    struct reached {      // by the home, as it has said last
        std::string node; // its name
        protocol::reach state = protocol::reach::pending;
        std::string why;
    };
    struct first_name { // before the first new name
        std::string instance;
        std::string secret;
    };

    awaitable<bool> beat_once();
    // Whether the node has taken the registration; otherwise `why` becomes the reason.
    awaitable<bool> joined(std::size_t node, std::string& why);
    void returned();
    awaitable<bool> register_with(std::size_t node, std::string& why); // the same
    void note_later(http::response const& answer);
    awaitable<duration> watch_once();
    awaitable<void> move(std::string to);
    void take_new_name();
    awaitable<int> heartbeat(); // the status; 0 for no answer
    void absorb(http::response const& answer, instant asked);
    void note_move(protocol::watch_answer const& told);
    void note_reach(protocol::reach state, std::string const& why);
    duration next_wait(int failures);
    duration beat_limit() const;

    // More members than usual: one loop of heartbeats uses them all.
    node_calls& calls_;
    engine& engine_;
    link_settings settings_;
    watchers notify_;
    waker beat_bell_;
    waker quiet_bell_; // after each heartbeat
    waker home_bell_;  // after each registration
    std::size_t node_; // the one that hears the heartbeats
    status status_;
    reminder refused_; // no node takes the registration
    reached reached_;
    first_name first_;
    int renamed_ = 0;
    std::int64_t generation_ = 0; // of the last registration that a node took
    std::string ticket_;
    duration period_;
    duration later_{}; // a node has asked to be left alone for so long (Retry-After)
};

} // namespace baton::client
