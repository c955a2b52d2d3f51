#pragma once

#include "libs/protocol/node_wire.hpp"
#include "libs/sim/sim.hpp"
#include "libs/storage/ledger.hpp"
#include "tests/simulation/limits_facts.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace limits_sim {

using namespace baton;

inline constexpr char node_name[] = "n1";

// The home of all clients, with its clients, one for each service. Runs last for seconds of virtual time and end half a
// second after a whole one, so that nothing else is decided at their ends. It outlives all masters.
class played_node {
public:
    struct one_run {
        int task = 0;
        std::string service;
        int attempt = 1;
        limits_sim::attempt seen;
        utc_time ends;
        bool cancelled = false;
        bool told = false; // that it runs
    };
    struct steps {
        // How long this attempt runs in whole seconds, and whether it succeeds.
        std::function<std::pair<int, bool>(int task, execution_id id, int attempt)> length;
        std::function<void(protocol::report_request)> report; // to the master, if there is one
    };

    played_node(sim::stage& stage, std::set<std::string> services, steps what);

    std::map<execution_id, std::vector<one_run>> runs; // by attempt
    std::map<execution_id, utc_time> cancels;          // the first request
    std::string faults;                                // found on the way

    sim::host& host() { return host_; }
    storage::database& database() { return *database_; }

private:
    awaitable<http::response> answer(std::string path, std::string body);
    void take(protocol::assign_request const& message);
    awaitable<void> tell_delivered();
    protocol::ask_answer find(protocol::ask_request const& message) const;
    void cancel(std::vector<execution_id> const& ids);
    awaitable<void> work();
    std::vector<storage::result_row> due_results();
    protocol::capacity_message capacity();

    sim::host& host_;
    utc_time now() { return host_.time().utc(); }
    std::unique_ptr<storage::database> database_;
    storage::ledger ledger_;
    std::set<std::string> services_;
    steps what_;
    std::vector<protocol::delivered> delivered_;
    std::set<execution_id> active_;
    std::int64_t epoch_ = 0;
    std::int64_t number_ = 0;
};

} // namespace limits_sim
