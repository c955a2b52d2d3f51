#pragma once
// The store of a run of pairs_sim: a simulated database server with the lease of MySQL's protocol, or the files of one
// machine with the lease of SQLite's.

#include "libs/sim/sim.hpp"
#include "tests/simulation/cluster_process.hpp"
#include "tests/simulation/pairs_facts.hpp"

#include <functional>
#include <memory>
#include <string>

namespace pairs_sim {

class played_store {
public:
    virtual ~played_store() = default;

    virtual char const* name() const = 0;
    virtual utc_time utc() const = 0; // its clock
    virtual baton::simulation::node_stores open(baton::sim::host& working, baton::sim::host& electing) = 0;
    virtual std::unique_ptr<baton::storage::database> connect(baton::sim::host& process) = 0;
    virtual void inspect(std::function<void(soci::session&)> const& look) = 0;

    // Events, by their items. False: this store has none of that kind.
    virtual bool harm(item event, duration span, std::string const& node) = 0;
    virtual void heal() = 0;
};

std::unique_ptr<played_store> make_server(baton::sim::stage& stage);
std::unique_ptr<played_store> make_files(baton::sim::stage& stage, std::uint64_t seed);

} // namespace pairs_sim
