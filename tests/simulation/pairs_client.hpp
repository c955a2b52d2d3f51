#pragma once
// A business service on a simulated host: the real SDK with handlers that take simulated time, and the record of what
// they did.

#include "client-sdk/src/runtime.hpp"
#include "libs/sim/sim.hpp"
#include "tests/simulation/pairs_facts.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pairs_sim {

namespace client = baton::client;
namespace http = baton::http;
namespace sim = baton::sim;
using baton::awaitable;

// How a handler behaves in an attempt.
struct conduct {
    duration span{};
    bool succeeds = true;
    bool final = false;  // its error is of the class bad_input
    duration deaf_for{}; // after it was asked to stop
};

struct client_options {
    std::string name; // of its host
    int number = 0;   // makes the name of the instance unique
    std::string project, service;
    std::vector<std::string> tags{};
    std::vector<std::string> nodes{};
    int slots = 4;
    int queue = 2;
    bool fetches = false;
};

// State shared by the clients of a run.
struct client_records {
    std::vector<handler_call> calls{};
    std::vector<acceptance> acceptances{};
    std::function<conduct(std::int64_t task, std::int64_t execution, int attempt)> behave{};
    std::function<utc_time()> utc{};
    bool hurry = false; // handlers return at once: the run comes to its end
};

class played_client final : public client::executor {
public:
    played_client(sim::stage& stage, client_options const& options, client_records& records);

    sim::host& host() { return host_; }
    std::string const& instance() const { return runtime_->instance(); }
    void kill(); // its handlers end with it
    // As SIGTERM: it gives back its place among the clients and ends; `ended` is called then.
    void drain(duration grace, std::function<void()> ended);
    void start(std::shared_ptr<client::job> work, std::function<void(client::outcome)> done) override;

private:
    awaitable<void> handle(std::shared_ptr<client::job> work, std::function<void(client::outcome)> done,
                           std::size_t call);
    awaitable<void> leave(duration grace);
    http::handler noting(http::handler next);
    void note_leave();

    sim::stage& stage_;
    sim::host& host_;
    client_records& records_;
    std::vector<std::size_t> calls_;
    std::unique_ptr<http::client> http_;
    std::unique_ptr<client::runtime> runtime_;
};

} // namespace pairs_sim
