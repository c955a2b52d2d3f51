#pragma once

#include "trigger/master/attempts.hpp"
#include "trigger/master/completion_queue.hpp"
#include "trigger/master/credits.hpp"
#include "trigger/master/doubts.hpp"
#include "trigger/master/execution_loader.hpp"
#include "trigger/master/overdue_look.hpp"
#include "trigger/master/repeater.hpp"
#include "trigger/master/settings.hpp"
#include "trigger/master/term_scope.hpp"

#include <map>
#include <string>
#include <vector>

namespace baton::trigger {

// Compares the master's memory with the ledger and with the live nodes and clients, once a second, and corrects what
// lost hints left behind. Part of a term.
class sweeper {
public:
    struct dependencies {
        membership& nodes;
        trigger::credits& credits;
        attempts& next;
        doubts& in_doubt;
        completion_queue& completions;
        repeater& repeats;
        execution_loader& loader;
    };
    sweeper(master_settings const& settings, term_scope const& scope, dependencies deps)
        : settings_(settings), scope_(scope), deps_(deps), overdue_(scope.term, scope.ledger)
    {}

    awaitable<void> run();

    // Corrects at once, without waiting for the next round.
    void client_gone(std::string const& instance);
    void nodes_changed();

private:
    awaitable<void> round();
    void bury_holders();
    void repeat_the_silent();
    awaitable<void> compare_overdue();
    awaitable<void> compare_under_way();
    bool is_behind(storage::open_key const& key);
    std::vector<execution_id> settled_under_way();
    awaitable<void> follow(std::vector<execution_id> ids);
    awaitable<void> bury_nodes();
    std::vector<std::string> long_unknown();

    master_settings settings_;
    term_scope scope_;
    dependencies deps_;
    overdue_look overdue_;
    std::vector<execution_id> to_compare_;     // under way, in this turn
    std::map<std::string, instant> strangers_; // nodes without a row that still have clients, and when first seen
};

} // namespace baton::trigger
