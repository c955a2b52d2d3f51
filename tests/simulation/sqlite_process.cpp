#include "tests/simulation/sqlite_process.hpp"

#include "libs/storage/ledger.hpp"
#include "libs/storage/migrations.hpp"
#include "libs/storage/rows.hpp"
#include "libs/storage/statement.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace baton::simulation {

namespace {

constexpr duration between_acts = 400ms;

awaitable<void> make_tables(storage::database& where, storage::migration_set set)
{
    co_await storage::migrate(where, set);
}

} // namespace

machine::machine(sim::stage& stage, std::uint64_t seed)
    : lease("lease", stage.env, seed * 3 + 1),
      ledger("ledger", stage.env, seed * 3 + 2),
      leader(stage.log, seed * 3 + 3)
{
    auto const plain_lease = lease.direct();
    auto const plain_ledger = ledger.direct();
    stage.play(make_tables(*plain_lease, storage::lease_tables()));
    stage.play(make_tables(*plain_ledger, storage::scheduler_tables()));
    ledger.inspect([](soci::session& sql) {
        storage::statement(sql,
                           "CREATE TABLE term_write (id INTEGER PRIMARY KEY AUTOINCREMENT, epoch INTEGER NOT NULL)")
            .execute();
    });
}

process::process(sim::stage& stage, machine& on, process_options const& options, file_election_record& record)
    : stage_(stage),
      host_(stage.add_host(options.name, on.clock)),
      flaw_(options.planted),
      record_(record),
      leasing_(on.lease.open_by(host_, 1s)),
      deciding_(on.ledger.open_by(host_, 5s)),
      lease_(make_flawed_file_lease({*leasing_, host_.time(), on.boot}, options.planted,
                                    [this] { trusted_until_ = host_.time().now() + 3s - 250ms; })),
      elector_({}, {fmt::format("{}#{}", options.name, options.incarnation), "http://" + options.name},
               {*lease_, host_.time(), host_.random()}, stage.loop.get_executor())
{
    if (options.guarded) {
        own_files const mine{*leasing_, host_.time(), on.boot};
        guard_ = make_flawed_file_guard(mine, *lease_, on.leader.open_by(host_), options.planted);
        elector_.guard_by(*guard_, {});
    }
    elector_.on_event([this](trigger::election_event const& event) { on_event(event); });
    host_.spawn(live());
}

process::~process() = default;

void process::on_event(trigger::election_event const& event)
{
    if (!host_.alive())
        return;
    stage_.log.note(fmt::format("{} {} epoch {}: {}", host_.name(), to_string(event.what), event.epoch, event.reason));
    if (event.what != trigger::verdict::promoted)
        return;
    ++record_.seen.terms;
    if (elector_.began_by().how == trigger::succession::way::guard)
        ++record_.seen.succeeded;
    if (event.epoch <= record_.last_epoch)
        record_violation(stage_.log, record_.seen, record_.seen.epoch_went_back, "the epoch WENT BACK");
    record_.last_epoch = std::max(record_.last_epoch, event.epoch);
}

bool process::may_act()
{
    if (!host_.alive() || epoch() == 0)
        return false;
    if (flaw_ == file_flaw::no_deadline)
        return true;
    if (flaw_ == file_flaw::deadline_from_reply)
        return host_.time().now() < trusted_until_;
    return elector_.state().at(host_.time().now()) == trigger::standing::active;
}

awaitable<void> process::live()
{
    trigger::elector::duty const duty = [this](std::int64_t term) { return lead(term); };
    co_await elector_.run(duty);
}

// Like a real master, it raises the fence first and then checks its term before each act.
awaitable<void> process::lead(std::int64_t term)
{
    storage::ledger books(*deciding_, *deciding_);
    storage::fence const mine{"master", term};
    for (bool raised = false;;) {
        try {
            if (!raised)
                raised = co_await books.raise(mine);
            if (!raised)
                co_return; // a newer master has raised the fence
            if (may_act())
                co_await act(term);
        } catch (not_master const&) {
            co_return;
        } catch (unavailable const&) {
            // Tried again after the pause.
        }
        co_await host_.time().sleep_for(between_acts);
    }
}

awaitable<void> process::act(std::int64_t term)
{
    ++record_.seen.acts;
    if (term < record_.last_epoch)
        record_violation(stage_.log, record_.seen, record_.seen.epoch_went_back, "acts under an OLD EPOCH");
    auto const term_write = [&](soci::session& sql) {
        if (flaw_ != file_flaw::acts_without_fence)
            storage::touch_fence(sql, {"master", term});
        storage::statement(sql, "INSERT INTO term_write (epoch) VALUES (", term, ")").execute();
    };
    co_await deciding_->transact(term_write);
}

} // namespace baton::simulation
