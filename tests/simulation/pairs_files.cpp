#include "libs/sim/lock_file.hpp"
#include "libs/sim/sqlite_file.hpp"
#include "libs/storage/migrations.hpp"
#include "tests/simulation/pairs_store.hpp"

namespace pairs_sim {

namespace {

namespace lease = baton::lease;
namespace sim = baton::sim;
namespace storage = baton::storage;
using baton::awaitable;
using baton::simulation::node_stores;

constexpr duration busy_limit = 5s;
constexpr char boot[] = "boot-1";

awaitable<void> migrate_file(storage::database& where, storage::migration_set set)
{
    co_await storage::migrate(where, set);
}

// The ledger, the lease next to it, and the lock of the guard.
class files final : public played_store {
public:
    files(sim::stage& stage, std::uint64_t seed);

    char const* name() const override { return "sqlite"; }
    utc_time utc() const override { return stage_.time.utc(); }
    std::unique_ptr<storage::database> connect(sim::host& process) override
    {
        return ledger_.open_by(process, busy_limit);
    }
    void inspect(std::function<void(soci::session&)> const& look) override { ledger_.inspect(look); }
    node_stores open(sim::host& working, sim::host& electing) override;
    bool harm(item event, duration span, std::string const& node) override;
    void heal() override { ledger_.faults = {}; }

private:
    void fail_for(duration span, double share);

    sim::stage& stage_;
    sim::sqlite_file ledger_;
    sim::sqlite_file lease_;
    sim::lock_file leader_;
};

files::files(sim::stage& stage, std::uint64_t seed)
    : stage_(stage),
      ledger_("ledger", stage.env, seed * 3 + 1),
      lease_("lease", stage.env, seed * 3 + 2),
      leader_(stage.log, seed * 3 + 3)
{
    auto const ledger = ledger_.direct();
    auto const leasing = lease_.direct();
    stage.play(migrate_file(*ledger, storage::scheduler_tables()));
    stage.play(migrate_file(*leasing, storage::lease_tables()));
}

node_stores files::open(sim::host& working, sim::host& electing)
{
    node_stores made;
    made.shared = connect(working);
    made.deciding = connect(working);
    made.signals = connect(working);
    made.members = connect(working);
    made.beating = connect(electing);
    made.own = lease_.open_by(electing, 1s);
    made.lease = lease::make_boot_lease(*made.own, "master", electing.time(), boot);
    made.guard =
        lease::make_file_guard(*made.own, *made.lease, "master", leader_.open_by(electing), electing.time(), boot);
    return made;
}

void files::fail_for(duration span, double share)
{
    ledger_.faults.fail = share;
    stage_.run_after(span, [this] { ledger_.faults = {}; });
}

bool files::harm(item event, duration span, std::string const&)
{
    switch (event) {
    case item::database_stall: // another program writes
        ledger_.occupy_for(span);
        return true;
    case item::database_down: // a disk without room
        fail_for(span, 1);
        return true;
    case item::lose_answers:
        fail_for(span, 0.2);
        return true;
    case item::cut_node:
        lease_.occupy_for(span);
        return true;
    default: // its clock is that of the machine
        return false;
    }
}

} // namespace

std::unique_ptr<played_store> make_files(sim::stage& stage, std::uint64_t seed)
{
    return std::make_unique<files>(stage, seed);
}

} // namespace pairs_sim
