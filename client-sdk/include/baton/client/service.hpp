#pragma once
// baton::client: what a business service embeds to run tasks. It needs the standard library and nlohmann/json, owns its
// threads, and speaks the protocol of docs/protocol.md with the trigger nodes.

#include <baton/client/execution.hpp>
#include <baton/client/options.hpp>
#include <baton/client/result.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace baton::client {

class service {
public:
    // Runs on one of the `slots` threads; several may run at once. What it throws becomes a failed result.
    using handler = std::function<result(execution&)>;

    // Throws std::invalid_argument whose text begins with the option that is wrong.
    explicit service(service_options options);
    // Stops first if it still runs.
    ~service();
    service(service const&) = delete;
    service& operator=(service const&) = delete;

    // Before start only (std::logic_error afterwards). Throws std::invalid_argument for an empty or repeated name.
    void handle(std::string name, handler run);

    // Binds, starts the threads and returns; joining the cluster goes on in the background and is tried for ever.
    // Throws std::runtime_error when the port cannot be bound, std::logic_error without a handler or the second time.
    // Installs no signal handlers.
    void start();

    // Tells the nodes that it drains, refuses new work, lets what it has finish within the grace, then asks it to stop;
    // sends the results, says good-bye and returns. A handler that never returns is left behind on its thread. May be
    // called from any thread but a handler's, and more than once.
    void stop();

    // start(), then blocks until SIGTERM or SIGINT (or stop() from another thread), then as stop(). A second signal
    // ends the process at once with status 130.
    void run();

    std::uint16_t port() const;          // bound; 0 before start
    std::string address() const;         // advertised; empty before start
    std::string const& instance() const; // of this incarnation; a suffix is added when nodes counted it as gone

private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

} // namespace baton::client
