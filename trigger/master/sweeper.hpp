#pragma once

#include "trigger/master/assigner.hpp"
#include "trigger/master/attempts.hpp"
#include "trigger/master/completion_queue.hpp"
#include "trigger/master/execution_loader.hpp"
#include "trigger/master/in_doubt_resolver.hpp"
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
        node_parts node;
        attempts& next;
        in_doubt_resolver& in_doubt;
        completion_queue& completions;
        trigger::assigner& assigner;
        execution_loader& loader;
    };
    sweeper(master_settings const& settings, term_scope const& scope, dependencies deps)
        : settings_(settings), scope_(scope), deps_(deps)
    {}

    awaitable<void> run();

    // Corrects at once, without waiting for the next round.
    void client_gone(std::string const& instance);
    void nodes_changed();

    // Cancels these and their shards: takes them back where they wait, otherwise tells the client. Each round repeats
    // this until they have ended.
    awaitable<void> cancel(std::vector<execution_id> ids);

private:
    awaitable<void> round();
    void repeat_the_silent();
    awaitable<void> compare();
    awaitable<void> follow(std::vector<execution_id> ids);
    awaitable<void> bury_nodes();
    std::vector<std::string> long_unknown();
    awaitable<void> cancel_requested();

    master_settings settings_;
    term_scope scope_;
    dependencies deps_;
    std::map<execution_id, instant> cancelling_; // when the client or node was told
    std::map<std::string, instant> strangers_;   // nodes without a row that still have clients, and when first seen
};

} // namespace baton::trigger
