#pragma once

#include "libs/sim/database.hpp"
#include "libs/sim/host.hpp"
#include "libs/sim/network.hpp"
#include "libs/sim/trace.hpp"
#include "libs/sim/virtual_time.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace baton::sim {

// All of a simulated world, from one seed: loop, time, database server, network, and the hosts.
//
// Declare what runs on the hosts after the stage, and call `end()` before it goes: every process is killed and unwinds
// while the objects that its coroutines refer to are still there.
class stage {
public:
    explicit stage(std::uint64_t seed);
    ~stage();

    asio::io_context loop{1};
    virtual_time time{loop};
    trace log{time};
    seeded_random random; // for the test's own draws: when to hurt what
    database_server database;
    network net;

    // A new machine; names may be used again after a death, as a restart does.
    host& add_host(std::string const& name, clock_error error = {});

    // Gives the database its tables, those of the lease among them.
    void make_tables();

    // Runs a coroutine of the test itself to its end, within `limit` of simulated time; rethrows what it throws.
    void play(awaitable<void> scene, duration limit = 60s);

    // Kills every host, and unwinds. Throws logic_error when a dead process does not end.
    void end();

private:
    std::uint64_t seed_;
    std::vector<std::unique_ptr<host>> hosts_;
};

} // namespace baton::sim
