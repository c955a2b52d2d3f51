#pragma once

#include "libs/sim/sim.hpp"
#include "tests/unit/trigger/master/node_stage.hpp"
#include "trigger/master/master.hpp"

#include <memory>
#include <optional>
#include <string>

namespace limits_sim {

using namespace baton;

// A process whose node has no clients. It leads one term, which its death ends; until then it is a slave.
struct played_master {
    played_master(sim::stage& stage, std::string called);
    void begin(std::int64_t epoch, std::string replaced);
    void kill() { host.kill(); }

    struct no_questions final : trigger::local_questions {
        awaitable<protocol::ask_answer> ask(protocol::ask_request) override { co_return protocol::ask_answer{}; }
        void cancel(protocol::cancel_at_request) override {}
    };
    struct no_claims final : trigger::epoch_claims {
        void refused_by(protocol::term_id, std::string const&) override {}
    };

    sim::stage& stage;
    std::string name;
    sim::host& host;
    std::unique_ptr<storage::database> shared;
    std::unique_ptr<storage::database> signals;
    storage::ledger ledger;
    trigger::cluster_clock clock;
    trigger::mastership ship;
    std::optional<trigger::term> of;
    id_generator ids;
    std::unique_ptr<http::client> http;
    trigger::term_log log;
    trigger::election_trace trace;
    no_questions questions;
    no_claims epochs;
    test::fake_slave here;
    std::unique_ptr<trigger::membership> nodes;
    std::unique_ptr<trigger::master> lead;
};

std::unique_ptr<trigger::membership> join_nodes(sim::host& host, storage::database& database, std::string const& name);

} // namespace limits_sim
