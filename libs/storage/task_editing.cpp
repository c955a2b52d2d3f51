#include "libs/storage/task_editing.hpp"

#include "libs/protocol/schedule_spec.hpp"
#include "libs/storage/fresh_ids.hpp"
#include "libs/storage/task_parents.hpp"
#include "libs/storage/task_zones.hpp"

#include <algorithm>
#include <array>

namespace baton::storage {

namespace {

std::string_view to_string(edit_action action)
{
    static constexpr std::array<std::string_view, 6> names{"edited",  "enabled",   "disabled",
                                                           "deleted", "skip_next", "undo_skip"};
    return names[static_cast<std::size_t>(action)];
}

constexpr int latest_looked_at = 200; // executions of the task, among which manual runs are no firings

// Adds the condition that the edit does not cancel the firing, and reads it.
std::optional<protocol::last_firing> read_last_firing(statement& ask, utc_time line)
{
    std::optional<protocol::last_firing> found;
    ask(" AND e.run_key = 0 AND NOT (e.state = 'planned' AND e.cause = 'schedule' AND e.scheduled_at >= ", line,
        ") ORDER BY e.scheduled_at DESC LIMIT 1");
    ask.each([&](row& cells) {
        auto& last = found.emplace();
        last.id = cells.name<execution_id>();
        last.runs = cells.flag();
        last.ended_at = cells.moment();
    });
    return found;
}

// The firing that the task waits for or, without one, the latest among its latest executions.
std::optional<protocol::last_firing> find_last_firing(soci::session& sql, stored_task const& stored, utc_time line)
{
    auto const select = [](statement& ask) {
        ask.select("e.id", "e.due_at IS NOT NULL OR EXISTS (SELECT 1 FROM unresponsive u WHERE u.execution_id = e.id)",
                   "COALESCE(e.ended_at, e.scheduled_at)");
    };
    if (stored.waiting_for) {
        statement ask(sql);
        select(ask);
        ask(" FROM execution e WHERE e.id = ", *stored.waiting_for);
        if (auto const found = read_last_firing(ask, line))
            return found;
    }
    statement ask(sql);
    select(ask);
    ask(" FROM (SELECT id, scheduled_at, run_key, cause, state, due_at, ended_at FROM execution",
        by_index{"execution_of_task"}, " WHERE task_id = ", stored.record.id, " ORDER BY scheduled_at DESC LIMIT ",
        latest_looked_at, ") e WHERE e.id > 0");
    return read_last_firing(ask, line);
}

} // namespace

utc_time announce(soci::session& sql, protocol::namespace_id name_space, signal_id id, task_id task)
{
    insert_signal(sql, name_space, id, protocol::signal_kind::edit, task.value());
    utc_time at{};
    statement(sql).select("created_at")(" FROM `signal` WHERE id = ", id).each([&](row& cells) {
        at = cells.moment();
    });
    return at;
}

std::int64_t withdraw(soci::session& sql, signal_id announced)
{
    return statement(sql, "DELETE FROM `signal` WHERE id = ", announced).execute();
}

void editing::require(announcement const& told)
{
    result_.nodes_lead = read_edit_lead(sql_);
    lead_ = std::max(lead_, result_.nodes_lead);
    bool const in_time = lead_ == 0s || from_micros(read_now(sql_)) <= told.at + lead_ / 2;
    if (withdraw(sql_, told.id) != 1 || !in_time)
        throw try_again{};
}

std::optional<edit_result> editing::run(task_id id, std::optional<int> seen, change_function const& change,
                                        signal_id signal, std::vector<execution_id> const& spare)
{
    auto stored = find_task(sql_, name_space_, id, true);
    if (!stored)
        throw refused{edit_outcome::not_found};
    stored->record.finds_new_parent = finds_new_parent(sql_, name_space_, stored->record);
    result_.task = stored->record;
    if (seen && *seen != stored->record.version) {
        result_.outcome = edit_outcome::stale_version;
        return result_;
    }
    now_ = from_micros(read_now(sql_)); // after the wait for the row
    // The database's clock may have stepped back behind what is fired already.
    auto const fired = read_fired_until(sql_);
    result_.valid_from = std::max({now_ + lead_, fired, not_before_});
    if (fired - now_ > std::max(lead_, duration{1s}) + 1s) // nodes mark by less ahead of their time
        behind_ = fired - now_;
    result_.signal = signal;
    stored->record.line = result_.valid_from;
    result_.task.definition = change(stored->record);
    if (action_ != edit_action::deleted)
        calendars_ = take_calendars(sql_, name_space_, result_.task.definition.project,
                                    result_.task.definition.schedule, calendar_rows::lock);
    result_.task.version = stored->record.version + 1;
    result_.task.updated_at = now_;
    result_.task.parked.reset();
    if (action_ != edit_action::deleted)
        document(result_.task.definition); // refuses text that cannot be stored, before anything is written

    if (!write(*stored, spare))
        return std::nullopt;
    if (stops(stored->record.definition))
        insert_stop(id);
    insert_version(sql_, result_.task, std::string(to_string(action_)), result_.valid_from, now_);
    insert_signal(sql_, name_space_, signal, protocol::signal_kind::task, id.value());
    return result_;
}

// False if overdue firings are left.
bool editing::write(stored_task const& stored, std::vector<execution_id> const& spare)
{
    auto const& changed = result_.task.definition;
    auto const progress = read_progress(stored);
    auto const plan = planner_(&stored.record.definition, action_ == edit_action::deleted ? nullptr : &changed,
                               progress, result_.valid_from);
    if (plan.never_fires)
        protocol::refuse_never_firing();
    auto const wanted = plan.insert.size() + plan.left_out.size() + std::min(plan.skipped.size(), most_skipped_rows);
    if (wanted > spare.size())
        throw ids_wanted{wanted};
    insert(plan.insert, stored.record, spare);
    insert_skips(plan, stored.record, spare);
    if (plan.unfinished) {
        advance(plan);
        return false;
    }
    write_calendar_links(sql_, stored.record.id, calendars_, !stored.record.definition.schedule.calendars.empty());
    write_zones(sql_, name_space_, stored.record.id, &stored.record.definition,
                action_ == edit_action::deleted ? nullptr : &changed, plan.zone_version);
    result_.cancelled = static_cast<int>(cancel(plan.cancel, protocol::state::planned));
    auto const replanned = cancel(plan.replan, protocol::state::skipped);
    if (static_cast<std::size_t>(result_.cancelled) != plan.cancel.size() ||
        static_cast<std::size_t>(replanned) != plan.replan.size())
        throw try_again{}; // a row started meanwhile, so the plan no longer holds
    if (action_ == edit_action::deleted) {
        result_.open = count_open();
        remove();
        return true;
    }
    link_parent(sql_, name_space_, result_.task, &stored.record.definition);
    result_.task.next_fire_at = plan.next;
    std::optional<execution_id> waiting_for;
    if (plan.waits)
        waiting_for = plan.insert.empty() ? progress.last->id : spare[plan.insert.size() - 1];
    result_.task.firings = plan.firings;
    result_.task.resume_at = plan.resume;
    update(plan, counted_since(stored.counted_since, result_.task), waiting_for);
    return true;
}

// As a planner does. The task keeps its definition and its version.
void editing::advance(protocol::edit_plan const& plan)
{
    statement(sql_, "UPDATE task SET next_fire_at = ", plan.look,
              ", firing_cursor = ", plan.look == plan.next ? std::nullopt : plan.next, ", firings = ", plan.firings,
              " WHERE id = ", result_.task.id)
        .execute();
}

protocol::task_progress editing::read_progress(stored_task const& stored)
{
    protocol::task_progress progress;
    progress.created_at = stored.record.created_at;
    progress.now = now_;
    progress.next_fire_at = stored.record.next_fire_at;
    progress.firings = stored.record.firings;
    if (action_ != edit_action::deleted &&
        result_.task.definition.schedule.kind == protocol::schedule_kind::fixed_delay)
        progress.last = find_last_firing(sql_, stored, result_.valid_from);
    if (progress.last && behind_ > 0s) // firings are due by the time of the nodes, which does not go back
        progress.last->ended_at = std::min(progress.last->ended_at, now_) + behind_;
    auto const from = std::min(progress.next_fire_at.value_or(result_.valid_from), result_.valid_from);
    statement(sql_)
        .select("id", "scheduled_at",
                "CASE WHEN cause <> 'schedule' THEN 0 WHEN state = 'planned' THEN 1 "
                "WHEN state = 'skipped' THEN 2 ELSE 0 END")(" FROM execution", by_index{"execution_of_task"},
                                                            " WHERE task_id = ", stored.record.id,
                                                            " AND scheduled_at >= ", from, " AND run_key = 0")
        .each([&](row& cells) {
            auto& firing = progress.recorded.emplace_back();
            firing.id = cells.name<execution_id>();
            firing.scheduled_at = cells.moment();
            firing.is = static_cast<protocol::recorded_firing::state>(cells.small());
        });
    return progress;
}

void editing::insert(std::vector<utc_time> const& firings, task_record const& before,
                     std::vector<execution_id> const& spare)
{
    std::vector<new_execution> rows;
    for (std::size_t i = 0; i < firings.size(); ++i)
        rows.push_back(make_firing(spare[i], before.id, before.version, before.definition, firings[i]));
    if (rows.empty())
        return;
    insert_executions(sql_, {name_space_, read_epoch(sql_)}, rows);
    follow_firings(sql_, name_space_, rows);
    insert_run_signals(sql_, name_space_, rows);
}

// Epoch 0: no master skipped them. `spare` holds more ids than the inserted firings need.
void editing::insert_skips(protocol::edit_plan const& plan, task_record const& before,
                           std::vector<execution_id> const& spare)
{
    skipped_firings all{before.id, before.version, before.definition.project, plan.skip_reason, plan.skipped, {}};
    auto next = plan.insert.size();
    auto const take_id = [&] { return spare[next++]; };
    protocol::term_id const no_master{name_space_, 0};
    insert_skipped(sql_, no_master, divide_skipped(std::move(all), take_id));
    insert_skipped(sql_, no_master,
                   skips_on_request(before.id, before.version, before.definition, plan.left_out, take_id));
}

// Cancelled rows give their place in the ledger, run_key 0, to firings of the new definition.
std::int64_t editing::cancel(std::vector<execution_id> const& rows, protocol::state in)
{
    std::int64_t cancelled = 0;
    for (auto const chunk : chunks(sql_, rows, 1)) {
        statement change(sql_,
                         "UPDATE execution SET run_key = id, state = 'cancelled', due_at = NULL, ended_at = ", now_,
                         ", reason = ", reason(), " WHERE state = ", protocol::to_string(in), " AND id IN ");
        change.in(chunk);
        cancelled += change.execute();
    }
    return cancelled;
}

// The index of the task's executions does not say which are open, so only the latest are looked at.
int editing::count_open()
{
    int open = 0;
    statement(sql_)
        .select("COUNT(due_at)")(" FROM (SELECT due_at FROM execution", by_index{"execution_of_task"},
                                 " WHERE task_id = ", result_.task.id, " ORDER BY scheduled_at DESC LIMIT 1000) latest")
        .each([&](row& cells) { open = cells.small(); });
    return open;
}

void editing::remove()
{
    auto const& task = result_.task;
    statement(sql_, "DELETE FROM task WHERE id = ", task.id).execute();
    delete_labels(sql_, task.id);
    unlink_parent(sql_, task.id);
    statement(sql_, "INSERT INTO deleted_task (id, namespace, project, name, version, deleted_at) VALUES (", task.id,
              ", ", name_space_, ", ", task.definition.project, ", ", task.definition.name, ", ", task.version, ", ",
              now_, ")")
        .execute();
}

bool editing::stops(protocol::task_definition const& before) const
{
    bool const enabled = result_.task.definition.enabled;
    return action_ == edit_action::deleted || action_ == edit_action::disabled || (before.enabled && !enabled);
}

// The master knows which executions were sent, so it cancels the others (ledger::stopped_tasks).
void editing::insert_stop(task_id id)
{
    statement(sql_, "INSERT INTO stopped_task (task_id, namespace, version, line, reason) VALUES (", id, ", ",
              name_space_, ", ", result_.task.version, ", ", result_.valid_from, ", ", reason(), ")")
        .execute();
}

std::string editing::reason() const
{
    if (action_ == edit_action::deleted)
        return "task deleted";
    if (!result_.task.definition.enabled)
        return "task disabled";
    return "superseded by version " + std::to_string(result_.task.version);
}

void editing::update(protocol::edit_plan const& plan, std::optional<int> since, std::optional<execution_id> waiting_for)
{
    auto const& task = result_.task;
    auto const& definition = task.definition;
    statement change(sql_, "UPDATE task SET project = ", definition.project, ", name = ", definition.name,
                     ", version = ", task.version, ", enabled = ", definition.enabled,
                     ", service = ", definition.service, ", handler = ", definition.handler,
                     ", schedule_kind = ", protocol::to_string(definition.schedule.kind));
    change(", owner = ", definition.owner, ", definition = ", document(definition), ", next_fire_at = ", plan.look,
           ", firing_cursor = ", plan.look == plan.next ? std::nullopt : plan.next, ", firings = ", plan.firings,
           ", counted_since = ", since, ", resume_at = ", plan.resume, ", waiting_for = ", waiting_for,
           ", parked_for = '', parked_at = NULL, parked_reason = NULL, updated_at = ", task.updated_at,
           " WHERE id = ", task.id);
    try {
        change.execute();
    } catch (statement_error const& failure) {
        if (is_task_name_taken(failure))
            throw refused{edit_outcome::name_taken};
        throw;
    }
    delete_labels(sql_, task.id);
    insert_labels(sql_, task.id, definition.labels);
}

} // namespace baton::storage
