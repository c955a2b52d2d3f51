#pragma once

#include "libs/storage/ledger.hpp"
#include "trigger/clients/registry.hpp"
#include "trigger/master/assigner.hpp"
#include "trigger/master/attempts.hpp"
#include "trigger/master/completions.hpp"
#include "trigger/master/in_doubt_resolver.hpp"
#include "trigger/master/open_set.hpp"
#include "trigger/master/term.hpp"
#include "trigger/membership/membership.hpp"
#include "trigger/settings.hpp"

#include <functional>
#include <map>
#include <vector>

namespace baton::trigger {

// Once a second: holds the memory of the master against the ledger and against who is alive, and sets right whatever a
// lost hint left behind. Part of a term.
class sweeper {
public:
    struct parts {
        trigger::term& term;
        storage::ledger& ledger;
        open_set& open;
        attempts& next;
        in_doubt_resolver& in_doubt;
        trigger::completions& completions;
        assigner& fire;
        registry& clients;
        membership& nodes;
    };
    sweeper(planner_settings plan, dispatcher_settings dispatch, client_settings clients, parts with,
            std::function<void(storage::open_execution_row const&, open_set::reading const&)> load);

    awaitable<void> run();

    // These are not as the master believed: read them and follow.
    void reread(std::vector<execution_id> ids);
    // At once, without waiting for the next round.
    void client_gone(std::string const& instance);
    void nodes_changed();

    // Asked to be cancelled, with their shards: taken back where they wait, else the client is told. Now, and again by
    // each round until they have ended.
    awaitable<void> cancel(std::vector<execution_id> ids);

private:
    awaitable<void> round();
    void repeat_the_silent();
    awaitable<void> compare();
    awaitable<void> follow(std::vector<execution_id> ids);
    awaitable<void> bury_nodes();
    std::vector<std::string> long_unknown();
    awaitable<void> cancel_requested();

    planner_settings plan_;
    dispatcher_settings dispatch_;
    client_settings client_;
    parts with_;
    std::function<void(storage::open_execution_row const&, open_set::reading const&)> load_;
    std::vector<execution_id> stale_;
    std::map<execution_id, instant> cancelling_; // told to client or node at
    std::map<std::string, instant> strangers_;   // nodes without a row that clients are said to be heard by, seen since
};

} // namespace baton::trigger
