#include "tests/simulation/pairs_judge.hpp"
#include "tests/simulation/pairs_look.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace pairs_sim {

namespace {

// The instants at which a task is due by its versions. Each holds from its `valid_from` on, unless a later one does.
std::set<utc_time> due_instants(std::vector<task_version_row> const& versions, utc_time until)
{
    std::set<utc_time> out;
    for (std::size_t i = 0; i < versions.size(); ++i) {
        auto const& each = versions[i];
        auto to = until;
        for (auto j = i + 1; j < versions.size(); ++j)
            to = std::min(to, versions[j].valid_from);
        if (each.action == "deleted" || !each.definition.at("enabled").get<bool>())
            continue;
        for (auto const at : instants_of(each.definition.at("schedule"), each.valid_from, to))
            out.insert(at);
    }
    return out;
}

bool is_known_ahead(drawn_task const& task)
{
    return task.has(item::cron) || task.has(item::rate) || task.has(item::once);
}

void check_task(look const& at, std::int64_t id, drawn_task const& task, violations& out)
{
    constexpr duration soon = 10s; // at the end of the run
    auto const versions = at.versions.find(id);
    if (versions == at.versions.end())
        return;
    auto const due = due_instants(versions->second, at.seen.end - soon);
    std::set<utc_time> found;
    if (auto const rows = at.rows.find(id); rows != at.rows.end())
        for (auto const* row : rows->second) {
            if (!row->is_firing)
                continue;
            if (!found.insert(row->scheduled_at).second)
                out.push_back({1, task.number, row->id, "a second row for its firing"});
            if (!due.contains(row->scheduled_at) && row->scheduled_at < at.seen.end - soon && row->state != "cancelled")
                out.push_back({1, task.number, row->id,
                               fmt::format("a firing at {} that no version of the task has",
                                           clock_of(at.seen, row->scheduled_at))});
        }
    auto const is_skipped = [&](utc_time instant) {
        return std::any_of(at.seen.ranges.begin(), at.seen.ranges.end(), [&](skipped_range_row const& each) {
            return each.task == id && each.first <= instant && instant <= each.last;
        });
    };
    if (task.has(item::maximum)) // its count depends on what edits cancel
        return;
    for (auto const instant : due)
        if (!found.contains(instant) && !is_skipped(instant))
            out.push_back(
                {1, task.number, 0,
                 fmt::format("the firing of {} has neither a row nor a recorded skip", clock_of(at.seen, instant))});
}

// A handler starts while an earlier attempt runs in a live process, or has succeeded.
void check_doubled(look const& at, violations& out)
{
    for (auto const& [id, calls] : at.calls)
        for (std::size_t i = 1; i < calls.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) {
                auto const& earlier = *calls[j];
                bool const runs = at.end_of(earlier) > calls[i]->began;
                if ((!runs && !earlier.succeeded) || at.was_silent(earlier) || at.was_silent(*calls[i]))
                    continue;
                auto const row = at.row.find(id);
                auto const* task = row == at.row.end() ? nullptr : at.task_of(row->second->task);
                out.push_back({1, task == nullptr ? -1 : task->number, id,
                               fmt::format("attempt {} begins at {} although attempt {} {}", calls[i]->attempt,
                                           clock_of(at.seen, calls[i]->began), earlier.attempt,
                                           runs ? "runs in a live client" : "has succeeded")});
            }
}

// A handler starts again although an earlier attempt has not ended, whatever became of its client.
void check_at_most_once(look const& at, violations& out)
{
    for (auto const& [id, calls] : at.calls) {
        auto const row = at.row.find(id);
        auto const* task = row == at.row.end() ? nullptr : at.task_of(row->second->task);
        if (task == nullptr || !task->has(item::at_most_once))
            continue;
        for (std::size_t i = 1; i < calls.size(); ++i) {
            auto const& earlier = *calls[i - 1];
            if (!earlier.ended || *earlier.ended > calls[i]->began)
                out.push_back({2, task->number, id,
                               fmt::format("it may begin at most once: attempt {} begins at {} although attempt {} "
                                           "began at {} and has not ended",
                                           calls[i]->attempt, clock_of(at.seen, calls[i]->began), earlier.attempt,
                                           clock_of(at.seen, earlier.began))});
        }
    }
}

} // namespace

violations judge_firings(facts const& seen)
{
    violations out;
    look const at(seen);
    for (auto const& [id, number] : seen.number_of) {
        auto const& task = seen.tasks[static_cast<std::size_t>(number)];
        if (is_known_ahead(task))
            check_task(at, id, task, out);
    }
    check_doubled(at, out);
    check_at_most_once(at, out);
    return out;
}

} // namespace pairs_sim
