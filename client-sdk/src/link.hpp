#pragma once
// The client's requests to the nodes: registration, heartbeats, results, leaving.

#include "client-sdk/src/engine.hpp"
#include "libs/base/loop.hpp"
#include "libs/base/random.hpp"
#include "libs/base/task_group.hpp"
#include "libs/http/client.hpp"

#include <optional>
#include <string>
#include <vector>

namespace baton::client {

struct link_settings {
    std::vector<http::url> nodes;        // at least one
    std::string token;                   // shared with the nodes; may be empty
    protocol::register_request identity; // without the epoch
    duration heartbeat = 5s;
};

// Chooses a node and fails over to the next. On the loop only.
class link {
public:
    link(asio::any_io_executor loop, time_source& time, random_source& random, http::client& http, engine& state,
         link_settings settings);

    // Registers with one node and sends it heartbeats; moves on to the next when it fails. Until cancelled.
    awaitable<void> beat();
    // Sends the engine's reports: at once when idle; reports that gather during a send go out in the next message, or
    // beside it when they fill one. Moves on to the next node when one fails, with a longer pause after each full
    // round. Until cancelled.
    awaitable<void> report();
    // Stops the heartbeats, which would register again, and tells the node that hears this client that it leaves; when
    // that one does not answer, the others in turn until `until`.
    awaitable<void> leave(instant until);

    void beat_now() { beat_bell_.wake(); }     // for news that nodes should have: the client drains
    void report_now() { report_bell_.wake(); } // the engine may have something to report
    // Called after each acknowledgement.
    void on_recorded(std::function<void()> call) { on_recorded_ = std::move(call); }
    // Called after each heartbeat that a node has answered.
    void on_heard(std::function<void()> call) { on_heard_ = std::move(call); }
    // Called with the secret that nodes will show from now on.
    void on_new_secret(std::function<void(std::string const&)> call) { on_new_secret_ = std::move(call); }

    bool registered() const { return registered_; }
    // The name under which the nodes know this client.
    std::string const& instance() const { return settings_.identity.instance; }

private:
    awaitable<std::optional<http::response>> post(std::size_t node, char const* path, std::string json, duration limit);
    awaitable<bool> beat_once();
    awaitable<bool> register_with(std::size_t node);
    void take_new_name();
    awaitable<int> heartbeat(); // the status; 0 for no answer
    void absorb(http::response const& answer, instant asked);
    bool may_send() const;
    awaitable<void> feed();
    awaitable<void> send(std::vector<protocol::result_report> batch);
    void ended(int turn, bool answered); // a message with results
    bool settle(std::vector<protocol::result_report> const& batch, std::optional<http::response> const& answer);
    duration pause(int failures, duration longest);
    duration beat_limit() const;

    time_source& time_;
    random_source& random_;
    http::client& http_;
    engine& engine_;
    link_settings settings_;
    waker beat_bell_;
    waker report_bell_;
    waker quiet_bell_; // after each heartbeat
    task_group senders_;
    std::function<void()> on_recorded_ = [] {};
    std::function<void()> on_heard_ = [] {};
    std::function<void(std::string const&)> on_new_secret_ = [](std::string const&) {};

    std::size_t node_ = 0; // the one that hears the heartbeats
    bool registered_ = false;
    bool warned_ = false;  // that no node takes the registration
    bool beating_ = false; // a heartbeat or registration is on its way
    bool leaving_ = false;
    std::string first_name_; // of the instance
    std::string first_secret_;
    int renamed_ = 0;
    duration period_;
    std::size_t results_node_ = 0;
    int on_way_ = 0;   // messages with results
    int turn_ = 0;     // rises with each change of node
    int failures_ = 0; // consecutive failed turns
    instant quiet_until_{};
};

} // namespace baton::client
