#include "trigger/master/zone_changes.hpp"

#include "libs/base/log.hpp"
#include "libs/base/outage.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace baton::trigger {

namespace {

constexpr duration between_looks_at_zones = 500ms;
constexpr duration time_for_a_task = 1ms; // to compute and write its next firing
constexpr int tasks_in_a_page = 200;      // a transaction of some tens of milliseconds
constexpr int most_counted = 1'000'000;
constexpr int kept_history = 100; // versions; a task that has not followed older ones has no line

std::string few(std::vector<std::string> const& names)
{
    std::string text;
    for (std::size_t i = 0; i < names.size() && i < 5; ++i)
        text += (i == 0 ? "" : ", ") + names[i];
    return names.size() > 5 ? text + ", ..." : text;
}

} // namespace

zone_changes::zone_changes(master_settings const& settings, term_scope const& scope, parts given)
    : settings_(settings.zones), look_ahead_(settings.planner.look_ahead), scope_(scope), parts_(std::move(given))
{}

awaitable<void> zone_changes::run()
{
    history_.reset(); // after a failure, what was written last is not known
    for (;;) {
        try {
            co_await look();
        } catch (unavailable const& failure) {
            history_.reset(); // what was written last is not known
            log::outage(failure, "zones", "following the zone database failed, trying again in 500 ms",
                        {log::reason(failure.what())});
        } catch (storage::already_exists const&) {
            history_.reset();
        }
        co_await scope_.term.time.sleep_for(between_looks_at_zones);
    }
}

awaitable<void> zone_changes::look()
{
    auto const newest = schedule::newest_zones();
    if (!newest)
        co_return;
    if (!history_)
        co_await read_history();
    if (history_->empty() || history_->front().name != newest->version())
        co_await adopt(newest);
    if (used_ != history_->front().version)
        co_await use(newest);
    if (!behind_ && scope_.term.time.now() < next_follow_)
        co_return;
    note_others(newest->version());
    co_await follow();
}

awaitable<void> zone_changes::read_history()
{
    auto const latest = co_await parts_.table.latest();
    auto found = co_await parts_.table.list(kept_history);
    fingerprints_ = latest ? latest->fingerprints : std::map<std::string, std::string>{};
    history_ = std::move(found);
    behind_ = true;
}

// The first database of a cluster changes nothing. The line of a later one lies behind all that is planned, and so far
// ahead that the tasks have followed before the planner reaches it.
awaitable<void> zone_changes::adopt(schedule::zone_database_pointer newest)
{
    storage::zone_version next;
    next.version = history_->empty() ? 1 : history_->front().version + 1;
    next.name = newest->version();
    next.fingerprints = newest->fingerprints();
    next.recorded_by = parts_.nodes.self().name;
    if (!history_->empty())
        next.changed = schedule::changed_zones(fingerprints_, next.fingerprints);
    std::map<std::string, int> touched;
    for (auto const& zone : next.changed)
        touched[zone] = next.version;
    int tasks = 0;
    if (!touched.empty())
        tasks = co_await parts_.table.count_behind(touched, most_counted);
    co_await scope_.term.until_active(transaction_need);
    next.valid_from = scope_.term.clock.now();
    if (!next.changed.empty())
        next.valid_from = std::chrono::ceil<std::chrono::seconds>(next.valid_from + look_ahead_ + settings_.lead +
                                                                  time_for_a_task * tasks); // as the files count
    co_await parts_.table.record(scope_.term.fence, next);
    tell(next);
    fingerprints_ = std::move(next.fingerprints);
    history_->insert(history_->begin(), std::move(next));
}

void zone_changes::tell(storage::zone_version const& next) const
{
    if (history_->empty())
        return log::info("zones", "the cluster plans by the zone database of this node", {{"zones", next.name}});
    auto const& before = history_->front().name;
    if (schedule::release_of(next.name) < schedule::release_of(before))
        log::warn("zones",
                  "this node, the new master, has an older zone database than the master before: the cluster plans by "
                  "the older one from its line on; install the newer one here",
                  {{"zones", next.name}, {"zones_before", before}});
    log::warn("zones", "the zone database has changed, tasks in the zones that differ follow from the line on",
              {{"zones", next.name},
               {"zones_before", before},
               {"line", to_rfc3339(next.valid_from)},
               {"changed", next.changed.size()},
               {"names", few(next.changed)}});
}

awaitable<void> zone_changes::use(schedule::zone_database_pointer newest)
{
    auto const& present = history_->front();
    used_ = present.version;
    if (schedule::zones().version != used_) // otherwise an earlier term or a web in this process has done it
        schedule::take_over_zones(newest, present.changed, present.valid_from, used_);
    auto const generation = schedule::zones_generation();
    while (!parts_.plan.follows_zones(generation)) // its page may leave a task at an instant by the old rules
        co_await scope_.term.time.sleep_for(10ms);
    behind_ = true;
}

awaitable<void> zone_changes::follow()
{
    next_follow_ = scope_.term.time.now() + settings_.period;
    int followed = 0;
    int some = 1;
    while (some != 0) {
        some = co_await page();
        followed += some;
    }
    if (followed != 0)
        log::info("zones", "the next firings of tasks were computed by the zone database of the cluster",
                  {{"tasks", followed}, {"zones", history_->front().name}});
}

// Returns how many tasks followed. None if all of the page were edited meanwhile, or if no task is left (`behind_`).
awaitable<int> zone_changes::page()
{
    auto const changed = latest_changes(*history_);
    auto const tasks = co_await parts_.table.behind(changed, tasks_in_a_page);
    behind_ = !tasks.empty();
    if (!behind_)
        co_return 0;
    std::vector<storage::zone_move> moves;
    moves.reserve(tasks.size());
    std::optional<utc_time> first;
    for (auto const& task : tasks)
        moves.push_back(move_of(task, first));
    co_await scope_.term.until_active(transaction_need);
    auto const moved = co_await parts_.table.move(scope_.term.fence, moves, history_->front().version);
    if (first) {
        parts_.plan.look_from(*first);
        parts_.plan.wake();
    }
    co_return moved;
}

storage::zone_move zone_changes::move_of(storage::zoned_task const& task, std::optional<utc_time>& first)
{
    storage::zone_move move;
    move.id = task.id;
    move.version = task.version;
    move.seen = task.next_fire_at;
    move.seen_resume = task.resume_at;
    try {
        auto const known = parts_.book.get(task.id, task.version, task.definition, task.created_at);
        schedule::zone_progress progress;
        progress.cursor = task.cursor;
        progress.resume_at = task.resume_at;
        progress.line = line_of(task.zones, *history_);
        progress.valid_from = task.valid_from;
        progress.recorded = task.recorded;
        auto const course = schedule::follow_zones(*known->timetable, progress);
        move.changes = course.changes;
        move.look = course.look;
        move.cursor = course.look == course.next ? std::nullopt : course.next;
        move.resume = course.resume;
        if (course.changes && course.look)
            first = std::min(first.value_or(*course.look), *course.look);
    } catch (invalid_input const& wrong) {
        log::error("zones", "a task cannot follow the zone database, it keeps its next firing",
                   {log::reason(wrong.what()), {"task", task.id.value()}});
    }
    return move;
}

// Once for each node and database.
void zone_changes::note_others(std::string const& version)
{
    std::map<std::string, std::string> others;
    for (auto const& node : parts_.nodes.all()) {
        if (!parts_.nodes.alive(node.incarnation))
            continue;
        auto const health = nlohmann::json::parse(node.health, nullptr, false);
        bool const has_version = health.is_object() && health.contains("zones") && health["zones"].is_string();
        auto const theirs = has_version ? health["zones"].get<std::string>() : std::string();
        if (theirs.empty() || theirs == version)
            continue;
        others[node.incarnation] = theirs;
        if (auto const told = told_.find(node.incarnation); told == told_.end() || told->second != theirs)
            log::warn("zones",
                      "a node has another zone database than the master: if it becomes the master, the cluster plans "
                      "by that one; install the same tzdata on all nodes",
                      {{"node", node.name}, {"zones", theirs}, {"zones_of_cluster", version}});
    }
    told_ = std::move(others);
}

} // namespace baton::trigger
