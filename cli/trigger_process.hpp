#pragma once

#include "cli/config/documents.hpp"
#include "cli/stores.hpp"
#include "libs/base/loop.hpp"
#include "libs/base/process.hpp"
#include "libs/base/random.hpp"
#include "libs/http/client.hpp"
#include "libs/http/server.hpp"
#include "trigger/node.hpp"

#include <memory>

namespace baton::cli {

// A node with its databases and its listener, on one loop, which must outlive it. Declare it after the loop: its end
// joins the database threads while the coroutine frames that wait for them still exist.
class trigger_process {
public:
    // Binds the listener at once; throws unavailable if it cannot be bound.
    trigger_process(asio::io_context& loop, time_source& time, random_source& random, trigger_config config);

    // Runs until `stop`, and then until the node has drained.
    awaitable<void> run();
    void stop();

    std::string const& address() const { return config_.node.address; }

private:
    awaitable<void> serve();

    // More members than usual: the composition of one process, in the order of construction.
    trigger_config config_;
    time_source& time_;
    waker stop_bell_;
    stores stores_;
    std::unique_ptr<http::client> http_;
    deadman last_resort_;
    http::handler routes_;
    std::unique_ptr<http::server> listener_;
    std::unique_ptr<trigger::node> node_;
    bool prepared_ = false;
    bool stopping_ = false;
};

} // namespace baton::cli
