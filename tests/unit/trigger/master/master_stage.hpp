#pragma once

#include "tests/unit/trigger/master/node_stage.hpp"
#include "trigger/master/master.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace baton::test {

struct no_questions final : trigger::local_questions {
    awaitable<protocol::ask_answer> ask(protocol::ask_request) override { co_return protocol::ask_answer{}; }
    void cancel(protocol::cancel_at_request) override {}
};

struct no_claims final : trigger::epoch_claims {
    void refused_by(protocol::term_id, std::string const&) override {}
};

// A whole term at one node, whose other node and clients are played by the test.
struct master_stage : node_stage {
    no_questions questions;
    no_claims epochs;
    trigger::election_trace trace{"", "master", "master"};
    std::unique_ptr<storage::database> signals;
    std::unique_ptr<http::client> http;
    std::optional<trigger::term_log> log;
    std::optional<trigger::master> lead;

    // The assignments that n1 got, and its answers to other messages.
    std::vector<protocol::assign_request> assigned;
    std::vector<execution_id> withdrawn;        // n1 gives these back
    std::vector<protocol::held_execution> held; // by the client that answers
    std::string client = "a";                   // that answers; empty: none does
    std::vector<execution_id> cancelled;        // at the clients of n1

    // So many executions are due one after the other, ten milliseconds apart.
    explicit master_stage(int executions = 1, nlohmann::json const& task = nlohmann::json::object()) : node_stage(1)
    {
        signals = stage.database.connect(host, {.sessions = 1, .read_limit = 1s});
        http = stage.net.client_for(host);
        log.emplace(trigger::term_log::identity{"master", "master"}, *shared, *shared, host.time(), clock);
        stage.net.attach(named("n1").host, http::parse_url("http://n1:7800"),
                         [this](http::request const& message) { return answer(message.path(), message.body); });
        add_client("a", "n1");
        add_task(1, task);
        for (int id = 1; id <= executions; ++id)
            add_execution(id, 1, 3);
        auto const first = std::to_string(to_micros(stage.database.utc()) + 500'000);
        exec("UPDATE execution SET due_at = " + first + " + id * 10000, scheduled_at = " + first + " + id * 10000");
        lead.emplace(
            trigger::master_settings{}, of,
            trigger::master::dependencies{
                {view(), questions, here, *http, epochs, trace}, *ledger, *shared, *signals, node_stage::ids, *log},
            stage.loop.get_executor());
        host.spawn(lead->run());
        pass(100ms);
        report({});
        pass(1s);
    }
    ~master_stage() { stage.end(); }

    awaitable<http::response> answer(std::string path, std::string body)
    {
        if (path == protocol::path_assign) {
            protocol::assign_request message;
            from_text(body, message);
            auto const count = static_cast<int>(message.executions.size());
            assigned.push_back(std::move(message));
            co_return http::json_response(200, protocol::assign_answer{of.id(), count});
        }
        if (path == protocol::path_ask) {
            protocol::ask_answer out;
            if (!client.empty())
                out.answered.push_back({client, held});
            co_return http::json_response(200, out);
        }
        if (path == protocol::path_stop)
            co_return http::json_response(200, protocol::executions_request{of.id(), withdrawn});
        if (path == protocol::path_cancel_at) {
            auto const message = http::parse_json(body).get<protocol::cancel_at_request>();
            cancelled.insert(cancelled.end(), message.executions.begin(), message.executions.end());
        }
        co_return http::json_response(200, protocol::announce_answer{of.id(), {}});
    }

    // A report of n1, which can take ten executions.
    protocol::report_answer report(protocol::report_request one)
    {
        one.node = "n1";
        if (one.term == protocol::term_id{})
            one.term = of.id();
        one.capacity = room(10, 10, ++told);
        return lead->report(one);
    }
    std::int64_t told = 0;

    protocol::report_answer delivered(int id, int attempt = 1, int holds = 0)
    {
        protocol::report_request one;
        one.delivered.push_back({execution_id{id}, attempt, client, holds});
        return report(one);
    }
    void request_cancel(int id)
    {
        auto const number = std::to_string(id);
        exec("UPDATE execution SET cancel_requested_at = 1 WHERE id = " + number);
        exec("INSERT INTO `signal` (id, kind, subject, created_at) VALUES (" + number + ", 'cancel', " + number + ", " +
             std::to_string(to_micros(stage.database.utc())) + ")");
        lead->signal();
    }
    // The client of execution 1 counts as gone and returns under another name, while its handler still runs.
    void return_under_another_name()
    {
        delivered(1);
        bury_client("a");
        lead->client_gone("a");
        add_client("b", "n1");
        client = "b";
        held = {{execution_id{1}, 1, false, false}};
        pass(3s);
        delivered(1, 2, 1);
    }
    void undelivered(int id, protocol::return_cause cause, std::int64_t number = 1)
    {
        protocol::report_request one;
        one.undelivered.push_back({execution_id{id}, 1, cause, "a", "because", number});
        report(one);
    }
    int attempt(int id = 1)
    {
        return static_cast<int>(number("SELECT attempt FROM execution WHERE id = " + std::to_string(id)));
    }
    // The executions of all assignments, in order.
    std::vector<execution_id> fired() const
    {
        std::vector<execution_id> out;
        for (auto const& message : assigned)
            for (auto const& one : message.executions)
                out.push_back(one.work.execution);
        return out;
    }
};

} // namespace baton::test
