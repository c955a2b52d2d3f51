#include "tests/simulation/pairs_judge.hpp"
#include "tests/simulation/pairs_look.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace pairs_sim {

namespace {

constexpr duration about_an_edit = 4s;
constexpr duration about_a_step = 10s; // outages and the ends of executions are instants of different clocks then
constexpr duration about_a_cancel = 1s;
constexpr duration measured = 60ms; // clocks and handlers are read at slightly different times

struct chains {
    look const& at;
    violations out{};

    void delays(std::int64_t id, drawn_task const& task);
    void check_pause(drawn_task const& task, execution_row const& before, execution_row const& one);
    bool was_turned_on(execution_row const& before, execution_row const& one) const;
    void check_skip(drawn_task const& task, execution_row const& child, utc_time success);
    void children(std::int64_t id, drawn_task const& task);
    bool was_deleted(execution_row const& one) const;
    bool has_lost_shard(execution_row const& one) const;
    bool has_only_reruns(execution_row const& one) const;
    bool was_called_off(execution_row const& one) const;
    std::optional<utc_time> success_of(execution_row const& one) const;
    std::optional<utc_time> success_of_shards(execution_row const& one) const;
    std::optional<utc_time> first_success(execution_row const& shard) const;
    bool sure_to_follow(std::vector<task_version_row> const& versions, utc_time success) const;
};

// The runs of a firing in clients that are certainly live.
std::vector<handler_call const*> sure_calls(look const& at, std::int64_t execution)
{
    std::vector<handler_call const*> out;
    if (auto const found = at.calls.find(execution); found != at.calls.end())
        for (auto const* call : found->second)
            if (!at.was_silent(*call))
                out.push_back(call);
    return out;
}

void chains::delays(std::int64_t id, drawn_task const& task)
{
    auto const rows = at.rows.find(id);
    if (rows == at.rows.end())
        return;
    std::vector<execution_row const*> ran;
    for (auto const* row : rows->second)
        if (row->is_firing && !sure_calls(at, row->id).empty())
            ran.push_back(row);
    std::ranges::sort(ran, {}, [&](auto const* each) { return sure_calls(at, each->id).front()->began; });
    for (std::size_t i = 1; i < ran.size(); ++i)
        check_pause(task, *ran[i - 1], *ran[i]);
}

void chains::check_pause(drawn_task const& task, execution_row const& before, execution_row const& one)
{
    utc_time ended{};
    for (auto const* call : sure_calls(at, before.id))
        ended = std::max(ended, at.told_end_of(*call));
    auto const began = sure_calls(at, one.id).front()->began;
    if (at.was_released(before.id))
        return;
    if (ended > began + measured) {
        out.push_back({4, task.number, one.id,
                       fmt::format("a fixed delay overlaps itself: {} runs until {}, the next one begins at {}",
                                   before.id, clock_of(at.seen, ended), clock_of(at.seen, began))});
        return;
    }
    // The pause of the version that the later one runs, unless an edit has changed it in between.
    auto const* first = at.version_of(before);
    auto const* second = at.version_of(one);
    if (first == nullptr || second == nullptr ||
        first->definition.at("schedule") != second->definition.at("schedule") || was_turned_on(before, one))
        return;
    // The pause counts from the end of the execution, which may come before that of a handler that was to stop.
    if (!at.clock_stepped())
        ended = std::min(ended, before.ended_at.value_or(ended));
    if (before.state == "succeeded")
        for (auto const* call : at.calls.at(before.id)) // also of a client that had counted as gone
            ended = call->succeeded ? std::min(ended, at.told_end_of(*call)) : ended;
    auto const every = millis(second->definition.at("schedule"), "every_ms");
    bool const timed_out = before.state == "timed_out" || before.state == "cancelled";
    if (began < ended + every - measured && !(at.clock_stepped() && timed_out))
        out.push_back({4, task.number, one.id,
                       fmt::format("a fixed delay of {} ms begins {} ms after the end of {}", every / 1ms,
                                   (began - ended) / 1ms, before.id)});
}

bool chains::was_turned_on(execution_row const& before, execution_row const& one) const
{
    return std::ranges::any_of(at.versions.at(before.task), [&](task_version_row const& each) {
        return each.version > before.version && each.version <= one.version && each.action == "enabled";
    });
}

// When a shard, or what ran it again, succeeded first.
std::optional<utc_time> chains::first_success(execution_row const& shard) const
{
    if (shard.state == "succeeded")
        return shard.ended_at;
    std::optional<utc_time> first;
    if (auto const again = at.reruns.find(shard.id); again != at.reruns.end())
        for (auto const* each : again->second)
            if (auto const success = first_success(*each); success && (!first || *success < *first))
                first = success;
    return first;
}

bool chains::was_deleted(execution_row const& one) const
{
    auto const again = at.reruns.find(one.id);
    return one.deleted || (again != at.reruns.end() &&
                           std::ranges::any_of(again->second, [this](auto const* each) { return was_deleted(*each); }));
}

// A shard that the retention has deleted counts no more (docs/schedules.md), nor does a rerun of one. The child may
// have run before that.
bool chains::has_lost_shard(execution_row const& one) const
{
    auto const shards = at.shards.find(one.id);
    return shards != at.shards.end() &&
           std::ranges::any_of(shards->second, [this](auto const* each) { return was_deleted(*each); });
}

// The rerun of a firing that the retention has deleted is not followed (docs/schedules.md).
bool chains::has_only_reruns(execution_row const& one) const
{
    return one.deleted && one.state != "succeeded";
}

// A broadcast that was cancelled or skipped is not followed, whatever shard of it is run again later.
bool chains::was_called_off(execution_row const& one) const
{
    return at.shards.contains(one.id) && one.ended_at && (one.state == "cancelled" || one.state == "skipped");
}

// When a firing has succeeded: by itself, by a rerun, or as a broadcast by the rule for its shards.
std::optional<utc_time> chains::success_of(execution_row const& one) const
{
    auto const by_itself = one.state == "succeeded" ? one.ended_at : std::nullopt;
    if (!at.shards.contains(one.id))
        return by_itself ? by_itself : first_success(one);
    auto const by_rule = success_of_shards(one);
    return by_itself && by_rule ? std::min(by_itself, by_rule) : by_itself ? by_itself : by_rule;
}

// A shard that was run again may meet the rule while others still run.
std::optional<utc_time> chains::success_of_shards(execution_row const& one) const
{
    auto const* version = at.version_of(one);
    bool const any = version != nullptr && version->definition.at("route").value("ends", "all") == "any";
    std::vector<utc_time> done;
    std::size_t all = 0;
    for (auto const* each : at.shards.at(one.id))
        if (!each->rerun_of) {
            ++all;
            if (auto const success = first_success(*each))
                done.push_back(*success);
        }
    if (done.empty() || (!any && done.size() < all))
        return std::nullopt;
    return any ? *std::ranges::min_element(done) : *std::ranges::max_element(done);
}

// The child is there, on, and not being edited to something else around this moment, nor before a master that works can
// have started it.
bool chains::sure_to_follow(std::vector<task_version_row> const& versions, utc_time success) const
{
    auto const slack = at.clock_stepped() ? about_an_edit + about_a_step : about_an_edit;
    auto const started = success + slack + at.outages(success, success + slack);
    for (auto v = versions.begin(); v != versions.end(); ++v) {
        auto const to = std::next(v) == versions.end() ? at.seen.end : std::next(v)->valid_from;
        bool const concerned = v->created_at < started && to > success - about_an_edit;
        bool const off = v->action == "deleted" || !v->definition.at("enabled").get<bool>();
        if (concerned && off)
            return false;
    }
    return !versions.empty() && versions.front().valid_from + about_an_edit < success;
}

// The child is due when its parent succeeds, or when a master starts it, if there was none then.
void chains::check_skip(drawn_task const& task, execution_row const& child, utc_time success)
{
    if (child.state != "skipped" || child.reason.find("is paused") == std::string::npos || at.clock_stepped())
        return;
    for (auto const due : {success, child.created_at})
        for (auto const& pause : at.seen.pauses)
            if (pause.skips && pause.since < due + about_an_edit &&
                pause.ended_at.value_or(at.seen.end) > due - about_an_edit)
                return;
    out.push_back({4, task.number, child.id,
                   fmt::format("a child is skipped for a pause, but its parent succeeded at {}, when there was none",
                               clock_of(at.seen, success))});
}

void chains::children(std::int64_t id, drawn_task const& task)
{
    std::int64_t parent = 0;
    for (auto const& [each, number] : at.seen.number_of)
        if (number == task.parent)
            parent = each;
    auto const versions = at.versions.find(id);
    auto const of_parent = at.rows.find(parent);
    if (versions == at.versions.end() || of_parent == at.rows.end())
        return;
    auto const& history = at.versions.at(parent);
    auto const deleted =
        std::find_if(history.begin(), history.end(), [](auto const& each) { return each.action == "deleted"; });
    std::map<utc_time, execution_row const*> mine;
    if (auto const rows = at.rows.find(id); rows != at.rows.end())
        for (auto const* row : rows->second)
            if (row->is_firing)
                mine[row->scheduled_at] = row;
    for (auto const* firing : of_parent->second) {
        if (!firing->is_firing || has_lost_shard(*firing) || has_only_reruns(*firing))
            continue;
        auto success = success_of(*firing);
        if (success && was_called_off(*firing)) {
            if (*success > *firing->ended_at - about_a_cancel && *success < *firing->ended_at)
                continue;
            if (*success >= *firing->ended_at)
                success.reset();
        }
        auto const found = mine.find(firing->scheduled_at);
        bool const follows = success && sure_to_follow(versions->second, *success) &&
                             sure_to_follow(versions->second, firing->created_at) &&
                             *success < at.seen.end - about_an_edit &&
                             (deleted == history.end() || deleted->created_at > *success + about_an_edit);
        if (follows && found == mine.end())
            out.push_back({4, task.number, firing->id,
                           fmt::format("{} of its parent has succeeded at {}, and no child follows", firing->id,
                                       clock_of(at.seen, *success))});
        if (!success && found != mine.end())
            out.push_back({4, task.number, found->second->id,
                           fmt::format("a child of {} of its parent, which has not succeeded", firing->id)});
        if (success && found != mine.end())
            check_skip(task, *found->second, *success);
        if (success && found != mine.end() && at.calls.contains(found->second->id) &&
            at.calls.at(found->second->id).front()->began + 1s < *success && !at.clock_stepped())
            out.push_back({4, task.number, found->second->id,
                           fmt::format("a child begins at {}, before {} of its parent has succeeded at {}",
                                       clock_of(at.seen, at.calls.at(found->second->id).front()->began), firing->id,
                                       clock_of(at.seen, *success))});
    }
}

} // namespace

violations judge_chains(facts const& seen)
{
    look const at(seen);
    chains found{at};
    for (auto const& [id, number] : seen.number_of) {
        auto const& task = seen.tasks[static_cast<std::size_t>(number)];
        if (task.has(item::delay))
            found.delays(id, task);
        if (task.has(item::after))
            found.children(id, task);
    }
    return found.out;
}

} // namespace pairs_sim
