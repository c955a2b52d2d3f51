#include "tests/simulation/pairs_store.hpp"

namespace pairs_sim {

namespace {

namespace lease = baton::lease;
namespace sim = baton::sim;
namespace storage = baton::storage;
using baton::simulation::node_stores;

sim::database_faults with_lost_answers()
{
    sim::database_faults out;
    out.lose_reply = 0.15;
    out.lose_request = 0.05;
    return out;
}

class server final : public played_store {
public:
    explicit server(sim::stage& stage) : stage_(stage) { stage.make_tables(); }

    char const* name() const override { return "mysql"; }
    utc_time utc() const override { return stage_.database.utc(); }
    std::unique_ptr<storage::database> connect(sim::host& process) override
    {
        return stage_.database.connect(process, {.sessions = 4, .read_limit = 5s});
    }
    void inspect(std::function<void(soci::session&)> const& look) override { stage_.database.inspect(look); }
    node_stores open(sim::host& working, sim::host& electing) override;
    bool harm(item event, duration span, std::string const& node) override;
    void heal() override { stage_.database.faults = {}; }

private:
    sim::stage& stage_;
};

node_stores server::open(sim::host& working, sim::host& electing)
{
    return baton::simulation::server_stores(stage_.database, working, electing, true);
}

bool server::harm(item event, duration span, std::string const& node)
{
    auto& database = stage_.database;
    switch (event) {
    case item::database_stall:
        database.freeze_for(span);
        return true;
    case item::database_down:
        database.crash_for(span);
        return true;
    case item::cut_node:
        database.partition(node);
        stage_.run_after(span, [this, node] { stage_.database.heal(node); });
        return true;
    case item::lose_answers:
        database.faults = with_lost_answers();
        stage_.run_after(span, [this] { stage_.database.faults = {}; });
        return true;
    case item::clock_forward:
        database.step_clock(span);
        return true;
    case item::clock_back:
        database.step_clock(-span);
        return true;
    default:
        return false;
    }
}

} // namespace

std::unique_ptr<played_store> make_server(sim::stage& stage)
{
    return std::make_unique<server>(stage);
}

} // namespace pairs_sim
