#pragma once

#include "client-sdk/src/runtime.hpp"
#include "libs/lease/guard_store.hpp"
#include "libs/lease/lease_store.hpp"
#include "libs/sim/sim.hpp"
#include "libs/storage/storage.hpp"
#include "trigger/node.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// The processes of a simulated cluster: trigger nodes and clients, each on its own host.
namespace baton::simulation {

constexpr char cluster_service[] = "shop";

// How long a simulated client recognises an execution whose result was recorded. The SDK does so for ten minutes, which
// is a lot of simulated work; nodes repeat deliveries for one minute.
constexpr duration client_memory = 90s;

// One run of a handler.
struct handler_run {
    std::int64_t execution = 0;
    int attempt = 1;
    task_id task{};
    std::string project; // of the client
    sim::host const* host = nullptr;
    std::string instance; // the client's registered name
    instant began{};
    bool ended = false;
    bool succeeded = false;
};

// The connections of a node to its store. Some stores need no `other`, `own` or `guarding`.
struct node_stores {
    std::unique_ptr<storage::database> shared;
    std::unique_ptr<storage::database> deciding;
    std::unique_ptr<storage::database> signals;
    std::unique_ptr<storage::database> members;
    std::unique_ptr<storage::database> beating;
    std::unique_ptr<storage::database> other; // for the guard
    std::unique_ptr<storage::database> own;
    std::unique_ptr<storage::database> guarding;
    std::unique_ptr<lease::lease_store> lease;
    std::unique_ptr<lease::guard_store> guard;
};

node_stores server_stores(sim::database_server& server, sim::host& working, sim::host& electing, bool guarded);

struct node_options {
    bool guarded = true; // the masters use a guard session
    duration client_heartbeat = trigger::client_settings{}.heartbeat;
    // Opens the store; by default the simulated database server.
    std::function<node_stores(sim::host& working, sim::host& electing)> open{};
};

// A trigger process on a host. Its two loops are two hosts of the same name with the same clock, so that either can be
// frozen alone.
class node_process {
public:
    node_process(sim::stage& stage, std::string const& name, int number, node_options const& options,
                 sim::clock_error error);

    sim::host& host() { return host_; } // of the working loop
    trigger::node& node() { return *node_; }
    void kill();
    // True after a clean stop. Its listener stays until kill().
    bool ended() const { return ended_; }
    void freeze_for(duration span); // both loops
    void hold_sessions();           // begins a statement on each of the sessions that most parts share
    void hold_decisions();          // and on the one of the master's decisions

private:
    awaitable<void> hold_session(storage::database& which);

    sim::host& host_;
    sim::host& electing_;
    node_stores stores_;
    std::unique_ptr<http::client> http_;
    std::unique_ptr<trigger::node> node_;
    bool ended_ = false;
};

// How a client treats the calls of its home. It sends its heartbeats in any case, and proves its address unless it is
// mute, refusing or slow.
enum class conduct {
    honest,
    mute,            // takes the calls and never answers
    refusing,        // refuses connections
    slow,            // answers after up to 8 s, and dispatches may wait for no more than 5 s
    nonsense,        // does what it is told, and answers with text that is not JSON
    unacknowledging, // runs what it gets, and acknowledges nothing
    idle             // acknowledges what it gets, and never runs it
};
char const* name_of(conduct how);

struct client_options {
    std::string name;
    int number = 0;                 // makes the instance's name unique
    std::vector<std::string> nodes; // their URLs
    int slots = 1;
    std::string project = "default"; // of its service
    bool fetches = false;            // it has no listener
    conduct how = conduct::honest;   // for clients with a listener, but for `idle`
    duration remember = client_memory;
    std::function<void()> kill; // ends the client's process
};

// A business service on a host: the SDK with handlers that take simulated time. "work" succeeds, "flaky" fails in a
// third of its attempts, "long" takes 20 s, "deadly" kills its process.
class client_process final : public client::executor {
public:
    // Each run of a handler is appended to `runs`. `on_start` is called before a handler starts.
    client_process(sim::stage& stage, client_options const& options, std::vector<handler_run>& runs,
                   std::function<void(handler_run const&)> on_start);

    sim::host& host() { return host_; }
    void behave(conduct how); // from now on
    void start(std::shared_ptr<client::job> work, std::function<void(client::outcome)> done) override;

private:
    awaitable<http::response> answer(http::request message);
    awaitable<void> handle(std::shared_ptr<client::job> work, std::function<void(client::outcome)> done,
                           std::size_t run);

    sim::stage& stage_;
    sim::host& host_;
    std::string project_;
    std::optional<http::url> address_; // none: it fetches
    conduct conduct_ = conduct::honest;
    std::vector<handler_run>& runs_;
    std::function<void(handler_run const&)> on_start_;
    std::function<void()> kill_;
    std::unique_ptr<http::client> http_;
    std::unique_ptr<client::runtime> runtime_;
};

} // namespace baton::simulation
