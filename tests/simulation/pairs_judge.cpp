#include "tests/simulation/pairs_judge.hpp"

#include "tests/simulation/pairs_known.hpp"
#include "tests/simulation/pairs_look.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace pairs_sim {

violations judge(facts const& seen)
{
    violations out;
    for (auto* const one :
         {judge_firings, judge_stops, judge_limits, judge_idle, judge_chains, judge_ends, judge_bounds, judge_probe}) {
        if (seen.cut_short && one != judge_bounds)
            continue;
        auto found = one(seen);
        out.insert(out.end(), found.begin(), found.end());
    }
    for (auto& each : out)
        each.known = explanation_of(seen, each);
    return out;
}

namespace {

std::string text_of(facts const& seen, execution_row const& one)
{
    return fmt::format("row {} v{} {} scheduled {} {} attempt {}/{} deaths {}{}{}{} created {}{}: {}\n", one.id,
                       one.version, one.cause, clock_of(seen, one.scheduled_at), one.state, one.attempt,
                       one.max_attempts, one.deaths, one.is_firing ? " firing" : "",
                       one.parent ? fmt::format(" shard {} of {}", one.shard, *one.parent) : "",
                       one.rerun_of ? fmt::format(" reruns {}", *one.rerun_of) : "", clock_of(seen, one.created_at),
                       one.ended_at ? " ended " + clock_of(seen, *one.ended_at) : " open", one.reason);
}

std::string text_of(facts const& seen, handler_call const& call)
{
    auto text = fmt::format("execution {} attempt {} begins at {}", call.execution, call.attempt, call.instance);
    if (call.asked_to_stop)
        text += ", asked to stop " + clock_of(seen, *call.asked_to_stop);
    if (call.left)
        text += ", its client leaves " + clock_of(seen, *call.left);
    if (call.ended)
        text += (call.succeeded ? ", succeeds " : ", fails ") + clock_of(seen, *call.ended);
    else if (call.died)
        text += ", dies " + clock_of(seen, *call.died);
    else
        text += ", runs";
    return text;
}

using timeline = std::multimap<utc_time, std::string>;

void add_task(timeline& out, facts const& seen, int number, std::int64_t id)
{
    for (auto const& each : seen.versions)
        if (each.task == id)
            out.emplace(each.valid_from, fmt::format("version {} {} holds: {}", each.version, each.action,
                                                     each.definition.dump().substr(0, each.version == 1 ? 900 : 300)));
    for (auto const& each : seen.calls)
        if (each.task == id)
            out.emplace(each.began, text_of(seen, each));
    for (auto const& each : seen.acceptances)
        for (auto const& one : seen.rows)
            if (one.id == each.execution && one.task == id)
                out.emplace(each.at, fmt::format("execution {} attempt {} is accepted", each.execution, each.attempt));
    for (auto const& each : seen.actions)
        if (each.task == number)
            out.emplace(each.sent, fmt::format("action {} {} answered {} {}", name_of(each.what), each.note,
                                               each.status, clock_of(seen, each.answered)));
}

} // namespace

std::string report_of(facts const& seen, violation const& which)
{
    auto out = fmt::format("BATON_SEED={} invariant {}: {}\n", seen.seed, which.invariant, which.text);
    timeline all;
    look const at(seen);
    for (auto const& each : seen.events)
        all.emplace(each.began,
                    fmt::format("EVENT {} {} until {}", name_of(each.what), each.note, clock_of(seen, each.ended)));
    for (auto const& each : seen.terms)
        all.emplace(each.began,
                    fmt::format("TERM{}", each.ended ? " ends " + clock_of(seen, *each.ended) + ": " + each.why : ""));
    for (auto const& each : seen.pauses)
        all.emplace(each.since,
                    fmt::format("PAUSE {}/{} {}{}", each.project, each.service, each.skips ? "skip" : "hold",
                                each.ended_at ? " ends " + clock_of(seen, *each.ended_at) : ""));
    for (auto const& each : seen.scopes)
        all.emplace(each.asked, fmt::format("LIMIT of {}/{} {} {}", each.project, each.service,
                                            each.sure ? "is" : "may be", each.slots));
    if (auto const one = at.row.find(which.execution); which.task < 0 && one != at.row.end())
        out += "  " + text_of(seen, *one->second);
    for (auto const& [id, number] : seen.number_of) {
        if (number != which.task)
            continue;
        auto const& task = seen.tasks[static_cast<std::size_t>(number)];
        out += fmt::format("task {} ({}) of {}/{}:", id, task.name, task.project, task.service);
        for (auto const each : task.features)
            out += fmt::format(" [{}]", name_of(each));
        out += '\n';
        add_task(all, seen, number, id);
        for (auto const& each : seen.rows)
            if (each.task == id)
                out += "  " + text_of(seen, each);
    }
    for (auto const& [when, text] : all)
        out += fmt::format("  {} {}\n", clock_of(seen, when), text);
    return out;
}

} // namespace pairs_sim
