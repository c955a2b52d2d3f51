#pragma once

#include "libs/sim/sim.hpp"
#include "tests/unit/trigger/execution_ids.hpp"
#include "trigger/delivery/dispatcher.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

// A dispatcher between a master's assignments, a node's clients and the reports, on doubles of its four seams.

namespace baton::test {

struct fake_right final : trigger::delivery_right {
    std::string name = "node-1";
    protocol::term_id present{1, 5};
    bool is_valid = true;
    std::uint64_t lapsed = 0;
    bool leads = true;

    std::string const& self() const override { return name; }
    protocol::term_id term() const override { return present; }
    bool valid() const override { return is_valid; }
    std::uint64_t lapses() const override { return lapsed; }
    bool term_lets_deliver() const override { return leads; }
};

struct fake_clients final : trigger::home_clients {
    std::map<std::string, trigger::known_client> all;
    std::set<std::string> gone;
    std::vector<std::string> buried;

    trigger::known_client* find(std::string const& instance) override
    {
        auto const found = all.find(instance);
        return found == all.end() ? nullptr : &found->second;
    }
    bool is_gone(std::string const& instance) const override { return gone.contains(instance); }
    void bury(std::string const& instance, std::string const&) override { buried.push_back(instance); }
    void drains(std::string const& instance) override
    {
        all.at(instance).stopping = true;
        changed(instance);
    }
    std::function<void(std::string const&)> changed;
};

// Clients take everything after a millisecond, unless the test says otherwise.
struct fake_client_calls final : trigger::client_calls {
    explicit fake_client_calls(time_source& clock) : time(clock) {}

    using responder = std::function<dispatch_outcome(protocol::dispatch_request const&)>;
    struct request {
        std::string instance;
        std::vector<execution_id> executions;
        std::int64_t number = 0;
        bool operator==(request const&) const = default;
    };

    awaitable<dispatch_outcome> dispatch(std::string instance, std::string text) override
    {
        auto const message = nlohmann::json::parse(text).get<protocol::dispatch_request>();
        std::vector<execution_id> ids;
        for (auto const& one : message.executions)
            ids.push_back(one.execution);
        sent.push_back({instance, ids, message.number});
        co_await time.sleep_for(takes);
        auto const how = responders.find(instance);
        co_return how == responders.end() ? all(message, protocol::ack::accepted) : how->second(message);
    }
    awaitable<std::optional<protocol::query_answer>> ask(std::string instance, std::string text,
                                                         protocol::delivery_way) override
    {
        auto const message = nlohmann::json::parse(text).get<protocol::query_request>();
        asked.emplace_back(instance, message.executions);
        co_await time.sleep_for(takes);
        co_return answer_question ? answer_question(message) : std::nullopt;
    }
    awaitable<probe_outcome> probe(std::string instance) override
    {
        co_await time.sleep_for(1ms);
        probe_outcome out{"http://" + instance, std::nullopt};
        if (unproved.contains(instance))
            out.wrong = "timed out";
        co_return out;
    }
    awaitable<void> cancel(std::string, protocol::executions_request, protocol::delivery_way) override { co_return; }
    awaitable<recall_outcome> recall(std::string instance, std::string text) override
    {
        auto const message = nlohmann::json::parse(text).get<protocol::recall_request>();
        recalled.push_back({instance, message.executions, message.number});
        co_await time.sleep_for(takes);
        co_return answer_recall ? answer_recall(message) : recall_outcome{};
    }

    static dispatch_outcome all(protocol::dispatch_request const& message, protocol::ack answer)
    {
        dispatch_outcome out;
        out.answer.emplace();
        out.answer->free = 100;
        for (auto const& one : message.executions)
            out.answer->executions.push_back({one.execution, one.attempt, answer, one.attempt});
        return out;
    }
    static dispatch_outcome none(bool maybe_there, bool too_large = false)
    {
        dispatch_outcome out;
        out.maybe_there = maybe_there;
        out.too_large = too_large;
        out.why = "no answer";
        return out;
    }

    std::vector<execution_id> to(std::string const& instance) const
    {
        std::vector<execution_id> ids;
        for (auto const& one : sent)
            if (one.instance == instance)
                ids.insert(ids.end(), one.executions.begin(), one.executions.end());
        return ids;
    }

    time_source& time;
    duration takes = 1ms;
    std::map<std::string, responder> responders;
    std::set<std::string> unproved;
    std::vector<request> sent;
    std::function<std::optional<protocol::query_answer>(protocol::query_request const&)>
        answer_question; // none: silence
    std::vector<std::pair<std::string, std::vector<execution_id>>> asked;
    std::function<recall_outcome(protocol::recall_request const&)> answer_recall; // none: silence
    std::vector<request> recalled;
};

struct fake_reach final : trigger::reach_record {
    void found(trigger::lane_client const& who, protocol::reach state, std::string const&) override
    {
        states[who.instance] = state;
    }
    void forget(std::string const& instance) override { states.erase(instance); }
    std::map<std::string, protocol::reach> states;
};

struct dispatcher_stage {
    sim::stage stage{7};
    sim::host& host = stage.add_host("node");
    seeded_random random{1};
    fake_right right;
    fake_clients clients;
    fake_client_calls calls{host.time()};
    fake_reach reach;
    trigger::lanes lanes{{}, random};
    trigger::known_attempts known;
    std::vector<protocol::report_request> heard; // by the master
    std::int64_t assigned = 1'000;               // from this number on, no assignment repeats what was told
    trigger::reporter report{
        "node-1",
        {[this](protocol::report_request const& one) { return hear(one); }, known, lanes, host.time()},
        stage.loop.get_executor()};
    trigger::stamps given{"secret"};
    trigger::election_trace trace{"", "node", "node-1"};
    trigger::dispatcher deliveries;

    explicit dispatcher_stage(trigger::dispatcher_settings settings = {})
        : deliveries(settings, 15s, {clients, calls, right, reach, lanes, known, report, given, trace, host.time()},
                     stage.loop.get_executor())
    {
        clients.changed = [this](std::string const& instance) { deliveries.client_changed(instance); };
        report.new_term(right.present);
        host.spawn(report.run());
        host.spawn(deliveries.run());
    }
    ~dispatcher_stage() { stage.end(); }

    void pass(duration span = 20ms) { stage.time.run_for(span); }

    awaitable<std::optional<protocol::report_answer>> hear(protocol::report_request one)
    {
        co_await host.time().sleep_for(1ms);
        heard.push_back(std::move(one));
        co_return protocol::report_answer{assigned};
    }

    // A client that has proved itself.
    void add(std::string const& instance, int slots = 10, int queue = 0, std::set<std::string> offers = {"h"})
    {
        trigger::known_client client;
        client.row.instance = instance;
        client.row.project = "default";
        client.row.service = "s";
        client.row.address = "http://" + instance;
        client.row.slots = slots;
        client.row.queue = queue;
        client.row.generation = 1;
        client.handlers = std::move(offers);
        clients.all[instance] = std::move(client);
        deliveries.client_changed(instance);
        pass();
    }
    void move_away(std::string const& instance)
    {
        clients.all.erase(instance);
        deliveries.client_changed(instance);
    }
    void die(std::string const& instance)
    {
        clients.all.erase(instance);
        clients.gone.insert(instance);
        deliveries.client_gone(instance);
    }

    std::size_t assign(std::vector<int> const& numbers, int attempt = 1, std::string const& payload = "{}",
                       std::string const& tag = {})
    {
        protocol::assign_request message;
        message.term = right.present;
        message.master = "node-2";
        message.number = ++last_number;
        for (auto const number : numbers) {
            protocol::assignment one;
            one.work.execution = execution_id{number};
            one.work.attempt = attempt;
            one.work.handler = "h";
            one.work.payload = protocol::json_text::check(payload, "payload");
            one.service = "s";
            one.tag = tag;
            one.once = once;
            message.executions.push_back(std::move(one));
        }
        return deliveries.accept(std::move(message));
    }
    std::int64_t last_number = 0;
    bool once = false; // what is assigned may begin at most once

    // The reports until now, in order: "1 at a" for a delivery and "2 no_room" for work that came back.
    std::vector<std::string> told() const
    {
        std::vector<std::string> out;
        for (auto const& one : heard) {
            for (auto const& got : one.delivered)
                out.push_back(std::to_string(got.execution.value()) + " at " + got.client +
                              (got.holds == 0 ? "" : " as " + std::to_string(got.holds)));
            for (auto const& got : one.undelivered)
                out.push_back(
                    std::to_string(got.execution.value()) + " " +
                    std::string(protocol::names_of<protocol::return_cause>[static_cast<std::size_t>(got.cause)]));
        }
        return out;
    }
    using words = std::vector<std::string>;
    bool hears(execution_id id, std::string const& what) const
    {
        auto const all = told();
        return std::count(all.begin(), all.end(), std::to_string(id.value()) + " " + what) == 1;
    }
};

} // namespace baton::test
