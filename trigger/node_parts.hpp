#pragma once
// Only for node.cpp and node_parts.cpp.

#include "trigger/api/api.hpp"
#include "trigger/api/node_status.hpp"
#include "trigger/clean_stop.hpp"
#include "trigger/clients/client_stub.hpp"
#include "trigger/clients/departure_notifier.hpp"
#include "trigger/clients/fetch_line.hpp"
#include "trigger/clients/push_line.hpp"
#include "trigger/election/followed_master.hpp"
#include "trigger/membership/heartbeat_standin.hpp"
#include "trigger/node.hpp"
#include "trigger/term_runner.hpp"

#include <atomic>
#include <functional>

namespace baton::trigger {

// The composition of a node. The members stand in the order in which they use each other; `connect` adds the events
// that a part sends to later parts.
struct node::parts {
    parts(loop_ref working, trigger::settings given, trigger::world outside);

    void connect();
    http::handler make_routes();
    awaitable<void> run();
    awaitable<void> run_parts();
    awaitable<void> join_and_work();
    awaitable<void> run_election();
    awaitable<void> on_election(std::function<awaitable<void>()> part); // runs it on the election's loop
    awaitable<void> run_standin();
    awaitable<void> stamp_progress();
    awaitable<bool> ready();

    loop_ref here;
    asio::any_io_executor loop;
    std::atomic<std::uint64_t> progress{0}; // counted up while the working loop runs
    trigger::settings settings;
    trigger::world world;
    id_generator ids;
    storage::ledger ledger;
    task_group background; // coroutines that no part waits for

    cluster_clock clock;
    elector votes; // on the election's loop
    election_proxy election;
    election_trace trace;
    followed_master followed;
    known_epoch epochs;
    stamps issued; // tickets and receipts
    term_log log;

    membership nodes;
    heartbeat_standin standin; // on the election's loop
    registry clients;
    push_line pushes;
    fetch_line fetches;
    client_stub stub;
    departure_notifier departures;
    home_watches watches;

    master_link link;
    known_attempts known;
    lanes home; // of the clients that are registered with this node
    reporter report;
    reachability reach;
    master_contact contact;
    node_right right;
    dispatcher deliveries;
    client_questions questions;
    collector results;

    term_runner terms;
    clean_stop stopping;
    node_status status;
    http::router endpoints;
};

} // namespace baton::trigger
