#pragma once
// The environment of one simulation.

#include "libs/sim/database.hpp"
#include "libs/sim/host.hpp"
#include "libs/sim/network.hpp"
#include "libs/sim/random_between.hpp"
#include "libs/sim/trace.hpp"
#include "libs/sim/virtual_time.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace baton::sim {

// Everything that a simulation needs, determined by one seed: the loop, time, database server, network, and hosts.
//
// Declare the objects that run on the hosts after the stage, and call `end()` before they are destroyed: it kills every
// process, and the coroutines unwind while the objects that they refer to still exist.
class stage {
public:
    explicit stage(std::uint64_t seed);
    ~stage();

    asio::io_context loop{1};
    virtual_time time{loop};
    trace log{time};
    environment env{loop, time, log};
    seeded_random random; // for the test's own decisions: which fault to inject, and when
    database_server database;
    network net;

    // Adds a machine. A name may be used again after the host's death, for a restart.
    host& add_host(std::string const& name, clock_error error = {});

    // Creates the tables of the scheduler and of the lease.
    void make_tables();

    // Runs a coroutine of the test to its end and rethrows its exception. Throws logic_error if it takes longer than
    // `limit` of simulated time.
    void play(awaitable<void> scene, duration limit = 60s);

    // Calls `function` after `span` of simulated time.
    void run_after(duration span, std::function<void()> function);

    // A uniformly distributed duration, drawn from `random`.
    duration random_between(duration least, duration most) { return sim::random_between(random, least, most); }

    // Kills every host and lets its coroutines unwind. Throws logic_error if one of them does not end.
    void end();

private:
    std::uint64_t seed_;
    std::vector<std::unique_ptr<host>> hosts_;
};

} // namespace baton::sim
