#include "tests/simulation/pairs_judge.hpp"
#include "tests/simulation/pairs_look.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace pairs_sim {

namespace {

// Each event may cost an execution a few attempts beyond those of its task, and the cluster a few terms.
constexpr int attempts_of_an_event = 4;
constexpr std::size_t terms_of_an_event = 4;
constexpr int most_edits = 20;          // each of which may add a firing
constexpr std::size_t most_lines = 150; // of one warning in a run: both nodes, a second apart, and their clients

} // namespace

violations judge_bounds(facts const& seen)
{
    violations out;
    look const at(seen);
    auto const events = static_cast<int>(seen.events.size());
    for (auto const& one : seen.rows) {
        auto const* task = at.task_of(one.task);
        auto const number = task == nullptr ? -1 : task->number;
        // The row's own maximum grows with attempts that were lost.
        auto const* version = at.version_of(one);
        auto const drawn = version == nullptr ? one.max_attempts : version->definition.value("max_attempts", 1);
        auto const most = drawn + 2 + attempts_of_an_event * events;
        if (one.attempt > most)
            out.push_back(
                {6, number, one.id, fmt::format("has {} attempts, and at most {} are explained", one.attempt, most)});
        auto const shards = at.shards.find(one.id);
        auto const originals =
            shards == at.shards.end()
                ? 0
                : std::ranges::count_if(shards->second, [](auto const* each) { return !each->rerun_of; });
        if (originals > 0 && originals != shards->second.front()->shards)
            out.push_back({6, number, one.id,
                           fmt::format("has {} shards instead of {}", originals, shards->second.front()->shards)});
    }
    for (auto const& [id, number] : seen.number_of) {
        auto const& task = seen.tasks[static_cast<std::size_t>(number)];
        auto const rows = at.rows.find(id);
        if (!task.has(item::delay) || rows == at.rows.end())
            continue;
        auto const every = millis(task.definition.at("schedule"), "every_ms");
        auto const most = 2 * ((seen.end - seen.begin) / every) + most_edits;
        auto const firings = std::ranges::count_if(rows->second, [](auto const* each) { return each->is_firing; });
        if (firings > most)
            out.push_back({6, number, rows->second.back()->id,
                           fmt::format("has more firings ({}) than {} in {} s explain", firings, most,
                                       (seen.end - seen.begin) / 1s)});
    }
    if (seen.terms.size() > 2 + terms_of_an_event * seen.events.size()) {
        std::string why;
        for (auto const& each : seen.terms)
            why += fmt::format("\n    {} {}", clock_of(seen, each.began), each.why);
        out.push_back({6, -1, 0, fmt::format("{} terms", seen.terms.size()) + why.substr(0, 1'000)});
    }
    return out;
}

violations judge_probe(facts const& seen)
{
    constexpr duration latest = 1s;
    violations out;
    look const at(seen);
    for (auto const& [text, count] : seen.log_lines)
        if (static_cast<std::size_t>(count) > most_lines)
            out.push_back({7, -1, 0, fmt::format("logged {} times: {}", count, text)});
    auto const rows = at.rows.find(seen.probe);
    if (at.clock_stepped() || rows == at.rows.end())
        return out;
    int late = 0;
    for (auto const* row : rows->second) {
        if (!row->is_firing || row->scheduled_at < seen.begin + 2s || row->scheduled_at > seen.judged_until)
            continue;
        auto const calls = at.calls.find(row->id);
        auto const began = calls == at.calls.end() ? seen.end : calls->second.front()->began;
        if (began <= row->scheduled_at + latest + at.outages(row->scheduled_at, began) || ++late > 1)
            continue;
        out.push_back({7, -1, row->id,
                       fmt::format("the unrelated task, due at {}, begins {} ms late",
                                   clock_of(seen, row->scheduled_at), (began - row->scheduled_at) / 1ms)});
    }
    return out;
}

} // namespace pairs_sim
