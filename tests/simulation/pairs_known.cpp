#include "tests/simulation/pairs_known.hpp"

#include "tests/simulation/pairs_look.hpp"

#include <algorithm>

namespace pairs_sim {

namespace {

struct explained {
    fault which;
    bool (*explains)(look const& at, violation const& which, execution_row const* row);
};

bool is_edited_between(look const& at, execution_row const& row, utc_time from, utc_time until)
{
    auto const versions = at.versions.find(row.task);
    return versions != at.versions.end() && std::ranges::any_of(versions->second, [&](task_version_row const& each) {
               return each.version > 1 && each.created_at > from && each.valid_from <= until;
           });
}

// A fixed delay whose schedule stays as it is runs at once after an edit, and beside itself after disable and enable.
bool edited_delay(look const& at, violation const& which, execution_row const* row)
{
    auto const* task = row == nullptr ? nullptr : at.task_of(row->task);
    return which.invariant == 4 && task != nullptr && task->has(item::delay) &&
           is_edited_between(at, *row, row->scheduled_at - 30s, row->scheduled_at + 1s);
}

// A new master takes what its predecessor never sent for work that may have begun, so policies no longer hold for it.
bool unsent_after_take_over(look const& at, violation const& which, execution_row const* row)
{
    if (which.invariant != 2 || row == nullptr)
        return false;
    auto const taken = at.taken.find(row->id);
    return taken != at.taken.end() && std::ranges::any_of(at.seen.terms, [&](term_row const& each) {
               return each.began > row->created_at && each.began < taken->second;
           });
}

// The next firing of a fixed delay is an instant of the ledger, which comes earlier when the clock is set forward.
bool delay_without_pause(look const& at, violation const& which, execution_row const* row)
{
    auto const* task = row == nullptr ? nullptr : at.task_of(row->task);
    bool const concerns = which.invariant == 4 || which.text.starts_with("has more firings");
    return concerns && task != nullptr && task->has(item::delay) && at.happened(item::clock_forward);
}

// The rerun of one failed shard starts the successor of its broadcast, or none follows.
bool child_of_one_shard(look const& at, violation const& which, execution_row const*)
{
    if (which.invariant != 4 || which.task < 0)
        return false;
    auto const& child = at.seen.tasks[static_cast<std::size_t>(which.task)];
    if (child.parent < 0)
        return false;
    auto const& parent = at.seen.tasks[static_cast<std::size_t>(child.parent)];
    return parent.has(item::broadcast_clients) || parent.has(item::broadcast_number);
}

bool replaced_forced_run(look const&, violation const& which, execution_row const* row)
{
    return which.invariant == 2 && row != nullptr && row->reason.find("took its place") != std::string::npos;
}

// The retention deletes an execution whose handler has not returned, and the next master admits another one.
bool forgotten_holder(look const& at, violation const& which, execution_row const* row)
{
    bool const is_overlap = which.invariant == 3 || which.text.find("overlaps itself") != std::string::npos;
    return row != nullptr && is_overlap && at.happened(item::retention);
}

bool skipped_child(look const&, violation const& which, execution_row const*)
{
    return which.invariant == 4 && which.text.starts_with("a child is skipped for a pause");
}

// Work that waits while slots are free, after an edit of the limit.
bool raised(look const& at, violation const& which, execution_row const*)
{
    return which.invariant == 3 && which.text.starts_with("waits until") &&
           std::ranges::any_of(at.seen.actions, [&](performed_action const& each) {
               return each.what == item::edit_limit && each.task == which.task;
           });
}

// The deciding session waits for the row of an edit that has stalled.
bool delayed_by_edit(look const& at, violation const& which, execution_row const*)
{
    return which.invariant == 7 && at.happened(item::freeze_web);
}

// What a client that was silent for its ttl still runs.
bool returned(look const& at, violation const& which, execution_row const* row)
{
    auto const calls = row == nullptr ? at.calls.end() : at.calls.find(row->id);
    return (which.invariant == 5 || which.invariant == 6) && calls != at.calls.end() &&
           std::ranges::any_of(calls->second, [&](auto const* call) { return at.was_silent(*call); });
}

// The master ends its term again and again, which breaks everything else too.
bool shards_together(look const& at, violation const&, execution_row const*)
{
    constexpr std::size_t many_terms = 40;
    bool const reruns = std::ranges::any_of(at.seen.actions, [](auto const& each) { return each.what == item::rerun; });
    return reruns && at.seen.terms.size() > many_terms;
}

constexpr explained explanations[]{
    {fault::shards_rerun_together, shards_together},
    {fault::rerun_of_one_shard, child_of_one_shard},
    {fault::forced_run_replaced, replaced_forced_run},
    {fault::holder_forgotten, forgotten_holder},
    {fault::clock_moves_delay, delay_without_pause},
    {fault::edited_delay, edited_delay},
    {fault::unsent_after_take_over, unsent_after_take_over},
    {fault::child_of_ended_pause, skipped_child},
    {fault::raised_limit, raised},
    {fault::returned_client, returned},
    {fault::stalled_edit, delayed_by_edit},
};

} // namespace

std::string explanation_of(facts const& seen, violation const& which)
{
    look const at(seen);
    auto const row = at.row.find(which.execution);
    for (auto const& each : explanations)
        if (is_open(each.which) && each.explains(at, which, row == at.row.end() ? nullptr : row->second))
            return known_faults[static_cast<std::size_t>(each.which)].name;
    return {};
}

} // namespace pairs_sim
