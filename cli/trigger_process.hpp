#pragma once

#include "cli/config/documents.hpp"
#include "cli/database_door.hpp"
#include "cli/stores.hpp"
#include "cli/zone_thread.hpp"
#include "libs/base/loop.hpp"
#include "libs/base/loop_meter.hpp"
#include "libs/base/process.hpp"
#include "libs/base/random.hpp"
#include "libs/http/client.hpp"
#include "libs/http/server.hpp"
#include "trigger/node.hpp"

#include <memory>

namespace baton::cli {

// A node with its databases and its listener, on one loop, which must outlive it, and a thread for its election.
// Declare it after the loop: its end joins the database threads while the coroutine frames that wait for them still
// exist.
class trigger_process {
public:
    // Binds the listener at once; throws unavailable if it cannot be bound.
    trigger_process(measured_loop& loop, time_source& time, random_source& random, trigger_config config);
    ~trigger_process();
    trigger_process(trigger_process const&) = delete;
    trigger_process& operator=(trigger_process const&) = delete;

    // Called once the database is available, from when on clients can register. Before run().
    void when_open(std::function<void()> then) { when_open_ = std::move(then); }

    // Runs until `stop`, and then until the node has drained.
    awaitable<void> run();
    void stop();

    std::string const& address() const { return config_.node.address; }
    std::size_t clients() const { return node_->clients(); } // that have joined here

private:
    awaitable<void> work();
    awaitable<void> await_database();
    awaitable<void> share_receipts();

    // More members than usual: the composition of one process, in the order of construction.
    trigger_config config_;
    zone_thread zones_;
    time_source& time_;
    waker stop_bell_;
    measured_thread electing_; // before the stores, whose threads post to it
    seeded_random election_random_;
    stores stores_;
    std::unique_ptr<http::client> http_;
    deadman last_resort_;
    http::handler routes_;
    database_door door_;
    std::function<void()> when_open_ = [] {};
    std::unique_ptr<http::server> listener_;
    std::unique_ptr<trigger::node> node_;
    bool prepared_ = false;
    bool stopping_ = false;
};

} // namespace baton::cli
