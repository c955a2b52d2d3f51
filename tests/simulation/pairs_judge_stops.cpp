#include "tests/simulation/pairs_judge.hpp"
#include "tests/simulation/pairs_look.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace pairs_sim {

namespace {

constexpr duration after_cutover = 2s; // a second is promised for what waits
constexpr duration after_pause = 1'500ms;
constexpr duration on_the_way = 1s;
constexpr duration read_limit = 5s; // of a statement whose answer is lost

struct stops {
    look const& at;
    violations out{};

    void add(execution_row const& one, std::string text)
    {
        auto const* task = at.task_of(one.task);
        out.push_back({2, task == nullptr ? -1 : task->number, one.id, std::move(text)});
    }
    void edits(execution_row const& one, utc_time taken);
    void pauses(execution_row const& one);
    void start_within(execution_row const& one, utc_time taken);
    bool holder_unknown(execution_row const& one, handler_call const& call) const;
    void skips(execution_row const& one);
    void replaced(execution_row const& one);
    bool frozen_meanwhile(utc_time from, utc_time until) const;
    bool database_silent(utc_time from, utc_time until) const;
};

// A frozen client takes what it was sent before when it continues.
bool stops::frozen_meanwhile(utc_time from, utc_time until) const
{
    return std::any_of(at.seen.events.begin(), at.seen.events.end(), [&](happened_event const& each) {
        bool const holds = each.what == item::freeze_client || each.what == item::hold_client;
        // What waits in the lane of a client whose calls were lost is not taken back yet.
        bool const loses = each.what == item::lose_messages;
        return (holds || loses) && each.began < until && each.ended + (loses ? 8s : on_the_way) > from;
    });
}

// The master could not read the pauses: its statement had no answer.
bool stops::database_silent(utc_time from, utc_time until) const
{
    return std::ranges::any_of(at.seen.events, [&](happened_event const& each) {
        bool const loses = each.what == item::lose_answers;
        bool const silent = loses || each.what == item::database_stall;
        return silent && each.began < until && each.ended + (loses ? read_limit : after_pause) > from;
    });
}

void stops::edits(execution_row const& one, utc_time taken)
{
    auto const versions = at.versions.find(one.task);
    if (versions == at.versions.end() || one.cause == "shard")
        return;
    for (auto v = versions->second.begin(); v != versions->second.end(); ++v) {
        bool const turned_off = v->action == "deleted" || v->action == "disabled";
        if (!turned_off || one.created_at >= v->created_at || taken <= v->valid_from + after_cutover)
            continue;
        if (frozen_meanwhile(v->valid_from, taken))
            continue;
        add(one, fmt::format("a client first takes it at {}, but its task is {} from {} on", clock_of(at.seen, taken),
                             v->action, clock_of(at.seen, v->valid_from)));
        return;
    }
}

void stops::pauses(execution_row const& one)
{
    auto const* version = at.version_of(one);
    if (at.is_forced(one) || version == nullptr)
        return;
    auto const& definition = version->definition;
    for (auto const& pause : at.seen.pauses) {
        bool const concerned = pause.project == definition.at("project") &&
                               (pause.service.empty() || pause.service == definition.at("service"));
        auto const from = pause.since + after_pause;
        for (auto const& taken : at.seen.acceptances)
            if (concerned && taken.execution == one.id && taken.at > from &&
                taken.at < pause.ended_at.value_or(at.seen.end) && !frozen_meanwhile(pause.since, taken.at) &&
                !database_silent(pause.since, taken.at))
                return add(one,
                           fmt::format("a client takes attempt {} at {}, but its service is paused since {}",
                                       taken.attempt, clock_of(at.seen, taken.at), clock_of(at.seen, pause.since)));
    }
}

void stops::start_within(execution_row const& one, utc_time taken)
{
    auto const* version = at.version_of(one);
    bool const fires = one.is_firing && one.cause == "schedule";
    if (version == nullptr || !fires || version->definition.at("schedule").at("kind") == "after" ||
        version->definition.at("schedule").value("jitter_ms", 0) != 0)
        return;
    auto const within = millis(version->definition.at("limits"), "start_within_ms");
    if (within == 0s || taken <= one.scheduled_at + within + on_the_way || frozen_meanwhile(one.scheduled_at, taken))
        return;
    add(one, fmt::format("a client first takes it at {}, more than {} ms after {}", clock_of(at.seen, taken),
                         within / 1ms, clock_of(at.seen, one.scheduled_at)));
}

// A new master does not know which client had an execution. If that client is gone, it counts as not begun.
bool stops::holder_unknown(execution_row const& one, handler_call const& call) const
{
    auto const ended = one.ended_at.value_or(at.seen.end);
    bool const dies = call.died && *call.died < ended;
    bool const is_silent = std::ranges::any_of(at.seen.silences, [&](silence const& each) {
        return each.instance == call.instance && each.from < ended && each.until > call.began;
    });
    return (dies || is_silent) && std::ranges::any_of(at.seen.terms, [&](term_row const& term) {
               return term.began > call.began && term.began < ended;
           });
}

void stops::skips(execution_row const& one)
{
    auto const calls = at.calls.find(one.id);
    if (calls == at.calls.end())
        return;
    bool const unsent = one.state == "skipped" || (one.state == "cancelled" && one.reason.starts_with("task d"));
    if (unsent && !holder_unknown(one, *calls->second.front()))
        add(one, fmt::format("a handler begins at {}, but it ends as {}: {}",
                             clock_of(at.seen, calls->second.front()->began), one.state, one.reason));
}

// `replace` never concerns what a person has forced.
void stops::replaced(execution_row const& one)
{
    if (at.is_forced(one) && one.reason.find("took its place") != std::string::npos)
        add(one, fmt::format("it was forced, and ends as {}: {}", one.state, one.reason));
}

} // namespace

violations judge_stops(facts const& seen)
{
    look const at(seen);
    stops found{at};
    if (at.clock_stepped()) // the instants of the ledger then are not those of the clients
        return {};
    for (auto const& one : seen.rows) {
        found.skips(one);
        found.replaced(one);
        auto const taken = at.taken.find(one.id);
        if (taken == at.taken.end())
            continue;
        found.edits(one, taken->second);
        found.pauses(one);
        found.start_within(one, taken->second);
    }
    return found.out;
}

} // namespace pairs_sim
