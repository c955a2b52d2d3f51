#include "libs/base/log.hpp"
#include "libs/schedule/misfire.hpp"
#include "libs/schedule/paused.hpp"
#include "trigger/master/planner.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>

// The rows of one page of due tasks.

namespace baton::trigger {

namespace {

constexpr std::size_t prepared_in_a_step = 100; // some tenths of a millisecond; what is due runs between two steps

void add_skipped(known_task const& task, std::vector<utc_time> const& firings, std::string const& reason,
                 id_generator& ids, page_plan& page)
{
    if (firings.empty())
        return;
    page.firings_skipped += firings.size();
    auto const make_id = [&] { return ids.make<execution_id>(); };
    auto parts =
        storage::divide_skipped({task.id, task.version, task.definition.project, reason, firings, {}}, make_id);
    std::ranges::move(parts, std::back_inserter(page.skipped));
}

void add_left_out(known_task const& task, std::vector<utc_time> const& firings, id_generator& ids, page_plan& page)
{
    page.firings_skipped += firings.size();
    page.firings_asked += firings.size();
    auto const make_id = [&] { return ids.make<execution_id>(); };
    auto parts = storage::skips_on_request(task.id, task.version, task.definition, firings, make_id);
    std::ranges::move(parts, std::back_inserter(page.skipped));
}

bool has_state(protocol::firing_rules const& rules)
{
    return rules.max_firings != 0 || rules.jitter != 0s;
}

// The state for the row of the task; none without a maximum or a jitter.
std::optional<storage::firing_state> state_of(protocol::firing_rules const& rules, schedule::task_plan const& plan)
{
    if (!has_state(rules))
        return std::nullopt;
    storage::firing_state state;
    if (plan.look != plan.next)
        state.cursor = plan.next;
    state.resume = plan.resume;
    state.added = rules.max_firings == 0 ? 0 : static_cast<std::int64_t>(plan.firings.size());
    return state;
}

std::int64_t firings_left(known_task const& task, storage::due_task const& row)
{
    auto const most = task.definition.schedule.firing.max_firings;
    return most == 0 ? schedule::no_maximum : std::max<std::int64_t>(most - row.firings, 0);
}

} // namespace

void add_to_page(storage::due_task const& due, std::shared_ptr<known_task const> task, schedule::task_plan const& plan,
                 id_generator& ids, page_plan& page)
{
    storage::advance step;
    step.id = due.id;
    step.version = due.version;
    step.seen = due.next_fire_at;
    step.next = plan.look;
    step.state = state_of(task->definition.schedule.firing, plan);
    add_skipped(*task, plan.skipped, schedule::reason_of_skip(task->definition.misfire), ids, page);
    add_left_out(*task, plan.left_out, ids, page);
    for (auto const at : plan.firings) {
        auto row = storage::make_firing(ids.make<execution_id>(), task->id, task->version, task->definition, at);
        page.open_executions.push_back(make_open_firing(row, task));
        if (plan.waits)
            step.waiting_for = row.id;
        page.executions.push_back(std::move(row));
    }
    page.tasks.push_back(std::move(step));
}

awaitable<page_plan> planner::prepare(std::vector<storage::due_task> const& due, look_ahead ahead,
                                      storage::due_cursor& from)
{
    page_plan page;
    // A herd leaves half of its service's room to firings that are due before it.
    page_room services(settings_, parts_.open, ahead.early ? 2 : 1);
    std::size_t prepared = 0;
    for (auto const& row : due) {
        if (page.executions.size() >= rows_limit || page.firings_skipped >= skips_limit)
            break;
        from = storage::cursor_of(row);
        try {
            prepare_task(row, ahead, services, page);
        } catch (invalid_input const& failure) {
            log::error("planner", "a task cannot be planned; it stays due until it is edited",
                       {log::reason(failure.what()), {"task", row.id.value()}});
        }
        if (++prepared % prepared_in_a_step == 0)
            co_await asio::post(asio::use_awaitable);
    }
    co_return page;
}

// False if no pause concerns this task now. The tasks of a service whose firings are held are parked, so that they cost
// nothing until its end. Where firings are skipped, those ahead are planned as usual, because the pause may end before
// they are due; those that are due are skipped here, many in one write.
bool planner::prepare_paused(storage::due_task const& row, std::shared_ptr<known_task const> const& task,
                             look_ahead ahead, page_plan& page)
{
    if (parts_.paused.empty())
        return false;
    auto const service = protocol::service_of(task->definition);
    bool const may_skip = task->timetable->kind() != protocol::schedule_kind::fixed_delay;
    auto const* const skip = may_skip ? parts_.paused.skips(service, row.cursor) : nullptr;
    if (skip != nullptr && row.next_fire_at <= ahead.now) {
        auto const until = std::min(ahead.now + schedule::tick, skip->ended_at.value_or(utc_time::max()));
        auto const plan = schedule::plan_paused(*task->timetable, row.cursor, until, skips_limit);
        add_skipped(*task, plan.skipped, to_text(*skip), parts_.ids, page);
        add_left_out(*task, plan.left_out, parts_.ids, page);
        page.firings_paused += plan.skipped.size();
        storage::advance step;
        step.id = row.id;
        step.version = row.version;
        step.seen = row.next_fire_at;
        step.next = plan.next;
        if (has_state(task->definition.schedule.firing))
            step.state.emplace(); // skipped firings do not count
        page.tasks.push_back(std::move(step));
        left_from_ = std::min(left_from_, plan.next.value_or(left_from_));
        return true;
    }
    auto const* const pause = parts_.paused.in_force(service);
    if (pause == nullptr || (may_skip && pause->firings == protocol::paused_firings::skip))
        return false;
    page.parked.push_back(parked_tasks::make(row, service, *pause));
    return true;
}

void planner::prepare_task(storage::due_task const& row, look_ahead ahead, page_room& services, page_plan& page)
{
    // The row of a task that is being edited is locked; the next round follows the edit.
    if (parts_.open.edits().any_of(row.id) || is_set_aside(row)) {
        left_from_ = std::min(left_from_, row.next_fire_at);
        return;
    }
    auto const task = parts_.book.get(row.id, row.version, row.definition, row.created_at);
    auto const service = protocol::service_of(task->definition);
    if (prepare_paused(row, task, ahead, page))
        return;
    auto const left = parked_.has_room(service) ? services.left(service) : 0;
    if (left == 0) { // before its instant there may be room yet
        if (row.next_fire_at <= ahead.now)
            page.parked.push_back(parked_.make(row, service));
        return;
    }
    auto const room = std::min({settings_.firings_of_a_task, rows_limit - page.executions.size(), left});
    schedule::plan_bounds bounds{row.cursor, ahead.now, ahead.plan_until, room};
    bounds.left = firings_left(*task, row);
    auto const plan = schedule::plan_task(*task->timetable, task->definition.misfire, bounds);
    if (ahead.early && plan.look && *plan.look < row.next_fire_at + settings_.look_ahead / 2)
        return;
    add_to_page(row, task, plan, parts_.ids, page);
    services.take(service, plan.firings.size());
    if (plan.look) {
        behind_ = behind_ || (!ahead.early && *plan.look < ahead.due_until);
        left_from_ = std::min(left_from_, *plan.look);
    }
}

} // namespace baton::trigger
