#pragma once

#include "libs/protocol/node_wire.hpp"
#include "libs/storage/ledger.hpp"
#include "trigger/clients/registry.hpp"
#include "trigger/delivery/carrier.hpp"
#include "trigger/election/term_log.hpp"
#include "trigger/master/assigner.hpp"
#include "trigger/master/attempts.hpp"
#include "trigger/master/completions.hpp"
#include "trigger/master/in_doubt_resolver.hpp"
#include "trigger/master/janitor.hpp"
#include "trigger/master/open_set.hpp"
#include "trigger/master/planner.hpp"
#include "trigger/master/signals.hpp"
#include "trigger/master/sweeper.hpp"
#include "trigger/master/term.hpp"
#include "trigger/membership/membership.hpp"
#include "trigger/settings.hpp"

namespace baton::trigger {

// What a node does for one term of mastership: takes over what is open, plans, fires, settles. Made anew for each term,
// so nothing of an older one can survive in it.
class master {
public:
    struct surroundings {
        trigger::term term;
        storage::ledger& ledger;
        storage::database& shared;
        registry& clients;
        membership& nodes;
        client_stub& stub;
        carrier& here;
        http::client& http;
        id_generator& ids;
        asio::any_io_executor loop;
        epoch_watcher heard;
        term_log& terms;
        departure_watcher leaving{}; // of assignments
    };

    master(settings const& settings, surroundings outside);

    // Until cancelled. Returns by itself when the fence shows that the term is over.
    awaitable<void> run();

    // From slaves, web, and this node itself.
    protocol::report_answer report(protocol::report_request const& what);
    void signal() { signals_.wake(); }
    void client_gone(std::string const& instance) { sweeper_.client_gone(instance); }
    void nodes_changed() { sweeper_.nodes_changed(); }

    std::int64_t epoch() const { return with_.term.epoch(); }
    std::size_t open() const { return open_.size(); }

private:
    awaitable<bool> begin();
    awaitable<void> take_over();
    awaitable<void> note_begin();
    void load(storage::open_execution_row const& row, bool may_be_out, open_set::reading const& seen);

    settings settings_;
    surroundings with_;
    open_set open_;
    task_book book_;
    planner planner_;
    attempts attempts_;
    in_doubt_resolver in_doubt_;
    assigner assigner_;
    completions completions_;
    sweeper sweeper_;
    signal_reader signals_;
    janitor janitor_;
    waker planned_; // for note_begin
    int replayed_ = 0;
};

} // namespace baton::trigger
