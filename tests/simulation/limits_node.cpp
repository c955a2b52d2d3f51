#include "tests/simulation/limits_node.hpp"

#include "libs/http/http.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace limits_sim {

namespace {

constexpr duration end_of_runs = 500ms; // behind a whole second
constexpr duration shown_as_running = 1s;
constexpr int room_of_a_client = 5'000;

utc_time after_seconds(utc_time from, int seconds)
{
    return std::chrono::floor<std::chrono::seconds>(from) + seconds * 1s + end_of_runs;
}

} // namespace

played_node::played_node(sim::stage& stage, std::set<std::string> services, steps what)
    : host_(stage.add_host(node_name)),
      database_(stage.database.connect(host_, {.sessions = 1, .read_limit = 5s})),
      ledger_(*database_, *database_),
      services_(std::move(services)),
      what_(std::move(what))
{
    stage.net.attach(host_, http::parse_url("http://n1:7800"),
                     [this](http::request const& message) { return answer(message.path(), message.body); });
    host_.spawn(work());
}

awaitable<http::response> played_node::answer(std::string path, std::string body)
{
    if (path == protocol::path_assign) {
        protocol::assign_request message;
        from_text(body, message);
        if (message.term.epoch < epoch_)
            co_return http::json_response(409, protocol::epoch_message{{message.term.name_space, epoch_}});
        take(message);
        auto const count = static_cast<int>(message.executions.size());
        co_return http::json_response(200, protocol::assign_answer{message.term, count});
    }
    auto const json = http::parse_json(body);
    if (path == protocol::path_ask)
        co_return http::json_response(200, find(json.get<protocol::ask_request>()));
    if (path == protocol::path_cancel_at)
        cancel(json.get<protocol::cancel_at_request>().executions);
    if (path == protocol::path_stop)
        co_return http::json_response(200, protocol::executions_request{});
    protocol::term_id term{};
    if (path == protocol::path_announce) {
        term = json.get<protocol::epoch_message>().term;
        epoch_ = std::max(epoch_, term.epoch);
    }
    co_return http::json_response(200, protocol::announce_answer{term, capacity()});
}

protocol::capacity_message played_node::capacity()
{
    protocol::capacity_message out{++number_, {}};
    for (auto const& name : services_) {
        protocol::service_capacity one;
        one.project = name.substr(0, name.find('/'));
        one.service = name.substr(name.find('/') + 1);
        one.classes.push_back({{"h"}, room_of_a_client, room_of_a_client});
        out.services.push_back(std::move(one));
    }
    return out;
}

void played_node::take(protocol::assign_request const& message)
{
    epoch_ = message.term.epoch;
    for (auto const& each : message.executions) {
        auto const& work = each.work;
        auto& mine = runs[work.execution];
        if (active_.contains(work.execution) || (!mine.empty() && mine.back().attempt >= work.attempt)) {
            faults +=
                fmt::format("execution {} was given twice, with attempt {}\n", work.execution.value(), work.attempt);
            continue;
        }
        auto const task = static_cast<int>(work.task.value());
        auto const [seconds, succeeds] = what_.length(task, work.execution, work.attempt);
        auto const service = each.project + "/" + each.service;
        mine.push_back({task,
                        service,
                        work.attempt,
                        {now(), std::nullopt, succeeds ? "succeeded" : "failed"},
                        after_seconds(now(), seconds)});
        active_.insert(work.execution);
        delivered_.push_back({work.execution, work.attempt, "c-" + service, 0});
    }
    host_.spawn(tell_delivered());
}

awaitable<void> played_node::tell_delivered()
{
    co_await host_.time().sleep_for(5ms);
    protocol::report_request message;
    message.delivered.swap(delivered_);
    what_.report(std::move(message));
}

protocol::ask_answer played_node::find(protocol::ask_request const& message) const
{
    protocol::ask_answer out{message.term, {}};
    for (auto const& instance : message.instances) {
        auto& one = out.answered.emplace_back();
        one.instance = instance;
        for (auto const id : message.executions) {
            auto const found = runs.find(id);
            if (found == runs.end() || "c-" + found->second.back().service != instance)
                continue;
            auto const& run = found->second.back();
            bool const over = run.seen.ended.has_value();
            one.held.push_back({id, run.attempt, over, over && run.seen.outcome == "succeeded"});
        }
    }
    return out;
}

void played_node::cancel(std::vector<execution_id> const& ids)
{
    for (auto const id : ids) {
        if (!active_.contains(id))
            continue;
        cancels.try_emplace(id, now());
        auto& run = runs.at(id).back();
        if (run.cancelled)
            continue;
        run.cancelled = true;
        run.seen.outcome = "cancelled";
        run.ends = std::min(run.ends, after_seconds(now(), static_cast<int>(id.value() % 3)));
    }
}

// The results of the runs that end now, and the reports of those that have run for a second.
std::vector<storage::result_row> played_node::due_results()
{
    std::vector<storage::result_row> out;
    for (auto const id : active_) {
        auto& run = runs.at(id).back();
        bool const over = run.ends <= now();
        if (!over && (run.told || now() < run.seen.began + shown_as_running))
            continue;
        run.told = true;
        auto& row = out.emplace_back();
        row.id = id;
        row.attempt = run.attempt;
        row.client = "c-" + run.service;
        row.started_at = run.seen.began;
        row.outcome = protocol::state::running;
        if (!over)
            continue;
        run.seen.ended = now();
        row.finished_at = now();
        row.outcome = protocol::parse<protocol::state>(run.seen.outcome, "outcome");
        if (run.seen.outcome == "failed")
            row.error = "played";
    }
    for (auto const& row : out)
        if (protocol::is_final(row.outcome))
            active_.erase(row.id);
    return out;
}

awaitable<void> played_node::work()
{
    for (;;) {
        auto const next = std::chrono::floor<std::chrono::seconds>(now() + end_of_runs) + end_of_runs;
        co_await host_.time().sleep_for(next <= now() ? next + 1s - now() : next - now());
        auto const rows = due_results();
        if (rows.empty())
            continue;
        co_await ledger_.record(rows, node_name);
        protocol::report_request message;
        for (auto const& row : rows)
            if (row.finished_at)
                message.finished.push_back({row.id, row.attempt, row.outcome, to_micros(*row.finished_at)});
            else
                message.started.push_back({row.id, row.attempt});
        what_.report(std::move(message));
    }
}

} // namespace limits_sim
