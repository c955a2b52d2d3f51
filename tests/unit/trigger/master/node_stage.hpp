#pragma once

#include "tests/unit/trigger/execution_ids.hpp"
#include "tests/unit/trigger/master/term_stage.hpp"
#include "trigger/master/doubts.hpp"
#include "trigger/master/node_calls.hpp"
#include "trigger/membership/membership.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace baton::test {

// This node's slave. It takes as many of an assignment as `takes` says.
struct fake_slave final : trigger::local_slave {
    std::size_t takes = 1'000;
    std::vector<protocol::assign_request> assigned;
    std::vector<execution_id> has; // and gives back to withdraw()

    std::size_t accept(protocol::assign_request message) override
    {
        auto const count = std::min(takes, message.executions.size());
        assigned.push_back(std::move(message));
        return count;
    }
    std::vector<execution_id> withdraw(std::vector<execution_id> const& executions) override
    {
        std::vector<execution_id> out;
        for (auto const id : executions)
            if (std::find(has.begin(), has.end(), id) != has.end())
                out.push_back(id);
        return out;
    }
    void ended(std::vector<protocol::attempt_key> const&) override {}
    protocol::capacity_message capacity() override { return {}; }
};

// The calls to nodes, answered by the test. A node that it has not named does not answer.
struct fake_node_calls final : trigger::node_calls {
    explicit fake_node_calls(time_source& clock) : time(clock) {}

    awaitable<std::optional<protocol::announce_answer>> announce(std::string node) override
    {
        ++announced[node];
        co_await time.sleep_for(1ms);
        std::optional<protocol::announce_answer> out;
        if (!mute.contains(node))
            out.emplace();
        co_return out;
    }
    awaitable<assign_outcome> assign(std::string node, std::string text) override
    {
        protocol::assign_request message;
        from_text(text, message);
        assigned[node].push_back(message);
        co_await time.sleep_for(takes);
        auto const how = assignments.find(node);
        assign_outcome out;
        if (how != assignments.end())
            out = how->second(message);
        else
            out = {200, message.executions.size(), false};
        co_return out;
    }
    awaitable<protocol::ask_answer> ask(std::string node, protocol::ask_request request) override
    {
        asked.emplace_back(node, request);
        most_at_once[node] = std::max(most_at_once[node], ++asking[node]);
        co_await time.sleep_for(takes);
        --asking[node];
        protocol::ask_answer out;
        if (auto const how = questions.find(node); how != questions.end())
            out = how->second(request);
        co_return out;
    }
    awaitable<void> cancel(std::string instance, std::vector<execution_id> ids) override
    {
        cancelled[instance] = std::move(ids);
        co_return;
    }
    awaitable<void> ended(std::string node, std::vector<protocol::attempt_key> which) override
    {
        ended_calls.emplace_back(node, which.size());
        co_await time.sleep_for(mute.contains(node) ? duration{1min} : takes);
    }
    awaitable<std::vector<execution_id>> withdraw(std::string, std::vector<execution_id>) override
    {
        co_return std::vector<execution_id>();
    }

    // The executions of each assignment to a node.
    std::vector<std::vector<execution_id>> groups(std::string const& node)
    {
        std::vector<std::vector<execution_id>> out;
        for (auto const& message : assigned[node]) {
            out.emplace_back();
            for (auto const& one : message.executions)
                out.back().push_back(one.work.execution);
        }
        return out;
    }

    time_source& time;
    duration takes = 1ms;
    std::set<std::string> mute;                                   // to announcements, and slow to take ends
    std::vector<std::pair<std::string, std::size_t>> ended_calls; // and how many ends
    std::map<std::string, int> announced;
    std::map<std::string, std::function<assign_outcome(protocol::assign_request const&)>> assignments;
    std::map<std::string, std::vector<protocol::assign_request>> assigned;
    std::map<std::string, std::function<protocol::ask_answer(protocol::ask_request const&)>> questions;
    std::vector<std::pair<std::string, protocol::ask_request>> asked;
    std::map<std::string, int> asking;
    std::map<std::string, int> most_at_once;
    std::map<std::string, std::vector<execution_id>> cancelled;
};

// Executions in doubt stay so.
struct fake_doubts final : trigger::doubts {
    explicit fake_doubts(trigger::open_set& all) : open(all) {}

    void add(trigger::open_execution& one, protocol::attempt_cause cause) override
    {
        added[one.id] = cause;
        open.move(one, trigger::phase::in_doubt);
    }
    bool suspects(std::string const& incarnation) const override { return suspected == incarnation; }

    trigger::open_set& open;
    std::map<execution_id, protocol::attempt_cause> added;
    std::string suspected;
};

// A term at the node "master" with other nodes: "n1", "n2" and so on, which beat and do nothing else.
struct node_stage : term_stage {
    struct member {
        sim::host& host;
        std::unique_ptr<storage::database> database;
        std::unique_ptr<trigger::membership> view;
    };
    std::vector<std::unique_ptr<member>> nodes;
    fake_slave here;
    fake_node_calls calls{host.time()};

    explicit node_stage(int others = 0)
    {
        join(host, "master");
        for (int i = 1; i <= others; ++i)
            join(stage.add_host("n" + std::to_string(i)), "n" + std::to_string(i));
        pass(3s);
    }

    trigger::membership& view() { return *nodes.front()->view; }
    member& named(std::string const& name)
    {
        for (auto& one : nodes)
            if (one->view->self().incarnation == name)
                return *one;
        throw std::logic_error("no node " + name);
    }
    // The node's process ends, and the others count it as gone.
    void kill(std::string const& name)
    {
        named(name).host.kill();
        stage.time.run_until([&] { return view().gone(name); }, 1min);
    }

    // A client of service "s" and handler "h".
    void add_client(std::string instance, std::string home, std::int64_t generation = 1, std::string service = "s")
    {
        put_client(std::move(instance), std::move(home), generation, std::move(service));
        auto call = [&]() -> awaitable<void> { co_await clients->refresh(); };
        stage.play(call());
    }
    // The same in the table only.
    void put_client(std::string instance, std::string home, std::int64_t generation = 1, std::string service = "s")
    {
        storage::client_record row;
        row.instance = std::move(instance);
        row.service = std::move(service);
        row.address = "http://127.0.0.1:1";
        row.secret = "0123456789abcdef";
        row.handlers = {"h"};
        row.node = std::move(home);
        row.generation = generation;
        storage::clients table(*shared);
        auto call = [&]() -> awaitable<void> { co_await table.put(row); };
        stage.play(call());
    }
    void bury_client(std::string instance, std::int64_t generation = 1)
    {
        storage::clients table(*shared);
        auto call = [&]() -> awaitable<void> {
            std::vector<storage::client_write> group(1);
            group[0].what = storage::client_write::kind::leave;
            group[0].row.instance = std::move(instance);
            group[0].row.generation = generation;
            co_await table.write(group);
            co_await clients->refresh();
        };
        stage.play(call());
    }

    // A node's report of its capacity for service "s" and handler "h".
    static protocol::capacity_message room(int slots, int places, std::int64_t number = 1, std::string service = "s")
    {
        protocol::service_capacity one;
        one.service = std::move(service);
        one.classes.push_back({{"h"}, slots, places});
        return {number, {one}};
    }

private:
    void join(sim::host& where, std::string const& name)
    {
        auto database = stage.database.connect(where, {.sessions = 1, .read_limit = 5s});
        storage::node_record row;
        row.incarnation = row.name = name;
        row.address = "http://" + name + ":7800";
        row.secret = "secret of " + name;
        row.started_at = where.time().utc();
        auto const idle = [] { return trigger::membership::status{"slave", 0, 0}; };
        auto view =
            std::make_unique<trigger::membership>(trigger::membership_settings{}, row, *database, where.time(), idle);
        where.spawn(view->run());
        nodes.push_back(std::make_unique<member>(member{where, std::move(database), std::move(view)}));
    }
};

} // namespace baton::test
