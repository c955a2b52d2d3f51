#pragma once
// baton::client: the SDK that a business service embeds to run tasks. Its headers need the standard library and
// nlohmann/json. It owns its threads, and speaks the protocol of docs/protocol.md with the trigger nodes.

#include <baton/client/execution.hpp>
#include <baton/client/handler_info.hpp>
#include <baton/client/options.hpp>
#include <baton/client/result.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace baton::client {

class service {
public:
    // Runs on one of the `slots` threads; several may run at once. An exception becomes a failed result.
    using handler = std::function<result(execution&)>;

    // Throws std::invalid_argument; its text begins with the name of the wrong option.
    explicit service(service_options options);
    // Calls stop() if it still runs.
    ~service();
    service(service const&) = delete;
    service& operator=(service const&) = delete;

    // Registers a handler; only before start() (std::logic_error afterwards). Throws std::invalid_argument for an
    // empty, overlong (150 characters) or repeated name, and for an invalid or too large description or schema
    // (handler_info.hpp).
    void handle(std::string name, handler run, handler_info about = {});

    // Binds the port, starts the threads and returns. Joining the cluster continues in the background, without a limit
    // of tries. Throws std::runtime_error when the port cannot be bound, std::logic_error without a handler or at the
    // second call. Installs no signal handlers.
    void start();

    // Tells the nodes that it drains, refuses new executions, lets running handlers finish, and asks them to stop near
    // the end of the grace; then sends the results, signs off and returns. A handler that never returns is left behind
    // on its thread. Any thread but a handler's may call it, more than once.
    void stop();

    // start(), then blocks until SIGTERM, SIGINT or stop() from another thread, then as stop(). A second signal ends
    // the process at once with status 130. Throws as start() does.
    void run();

    std::uint16_t port() const;          // bound; 0 before start
    std::string address() const;         // advertised; empty before start
    std::string const& instance() const; // of this process; gets a suffix when nodes counted it as gone

private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

} // namespace baton::client
