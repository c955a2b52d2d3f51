#include "libs/base/log.hpp"
#include "libs/storage/firing_counts.hpp"
#include "libs/storage/free_tasks.hpp"
#include "libs/storage/ledger.hpp"
#include "libs/storage/rows.hpp"
#include "libs/storage/task_parents.hpp"

#include <algorithm>

namespace baton::storage {

namespace {

// Ends a transaction whose page is not as it was read.
struct stale_page {
    bool firing_taken = false;
};

// Rows matched.
std::int64_t advance_tasks(soci::session& sql, std::vector<advance> const& tasks)
{
    std::int64_t matched = 0;
    for (auto const chunk : chunks(sql, tasks, 5)) {
        batch_update update(sql, {"task"}, {"id", "version", "seen", "next", "waiting"});
        for (auto const& task : chunk)
            update.row(task.id, task.version, task.seen, task.next, task.waiting_for);
        update.set("next_fire_at = ", update["next"], ", waiting_for = ", update["waiting"]);
        update.where("e.version = ", update["version"], " AND e.next_fire_at = ", update["seen"]);
        matched += update.execute();
    }
    return matched;
}

bool has_row(soci::session& sql, task_id task, utc_time firing)
{
    bool taken = false;
    statement(sql)
        .select("COUNT(*)")(" FROM execution WHERE scheduled_at = ", firing, " AND task_id = ", task,
                            " AND run_key = 0")
        .each([&](row& answer) { taken = answer.flag(); });
    return taken;
}

struct page_rows {
    std::vector<advance> tasks;
    std::vector<new_execution> executions;
    std::vector<skipped_firings> skipped;
};

page_rows without_tasks(page_rows page, std::set<task_id> const& tasks)
{
    page.tasks = without(std::move(page.tasks), tasks);
    std::erase_if(page.executions, [&](new_execution const& one) { return tasks.contains(one.task); });
    std::erase_if(page.skipped, [&](skipped_firings const& part) { return tasks.contains(part.task); });
    return page;
}

// Those whose firings have no row yet; `taken`: the executions that are left out. A range is kept as it is.
page_rows without_taken(soci::session& sql, page_rows page, std::set<execution_id>& taken)
{
    std::erase_if(page.executions, [&](new_execution const& one) {
        bool const has = one.cause == protocol::cause::schedule && has_row(sql, one.task, one.scheduled_at);
        if (has)
            taken.insert(one.id);
        return has;
    });
    for (auto& part : page.skipped)
        if (!part.ids.empty()) {
            std::erase_if(part.firings, [&](utc_time at) { return has_row(sql, part.task, at); });
            part.ids.resize(part.firings.size());
        }
    std::erase_if(page.skipped, [](skipped_firings const& part) { return part.firings.empty(); });
    return page;
}

void insert_page(soci::session& sql, protocol::term_id term, page_rows const& page)
{
    try {
        insert_executions(sql, term, page.executions);
        follow_firings(sql, term.name_space, page.executions);
        insert_skipped(sql, term, page.skipped);
    } catch (statement_error const& failure) {
        if (failure.why() != statement_error::kind::duplicate)
            throw;
        bool const firing_taken = is_firing_taken(failure);
        if (!firing_taken && !is_id_taken(failure))
            throw; // new ids would not help
        if (firing_taken)
            log::warn("planner", "a firing has its row already, planning past it", {log::reason(failure.what())});
        else
            log::warn("planner", "an execution's id is taken, planning the page again", {log::reason(failure.what())});
        throw stale_page{firing_taken};
    }
}

} // namespace

namespace {

// A master that did not keep to the watermark did not note either which executions have begun.
void note_begun_behind_others(soci::session& sql, std::string const& name_space)
{
    bool other = false;
    statement(sql)
        .select("COUNT(*)")(" FROM lock_fence WHERE watermark_epoch <> epoch AND namespace = ", name_space)
        .each([&](row& answer) { other = answer.flag(); });
    if (other)
        statement(sql, "UPDATE execution SET begun = 1 WHERE due_at IS NOT NULL AND attempt > 1").execute();
}

} // namespace

awaitable<bool> ledger::raise(fence mine)
{
    auto const work = [&](soci::session& sql) {
        note_begun_behind_others(sql, mine.name_space);
        // A database may assign from left to right: `epoch` comes after what depends on it.
        statement lift(sql,
                       "UPDATE lock_fence SET watermark = CASE WHEN watermark_epoch = epoch THEN watermark ELSE 0 END, "
                       "watermark_epoch = ",
                       mine.epoch, ", epoch = ", mine.epoch,
                       ", touched = touched + 1 WHERE namespace = ", mine.name_space, " AND epoch <= ", mine.epoch);
        if (lift.execute() == 1)
            return true;
        bool stands = false;
        statement(sql)
            .select("COUNT(*)")(" FROM lock_fence WHERE namespace = ", mine.name_space)
            .each([&](row& answer) { stands = answer.flag(); });
        if (stands)
            return false;
        statement(sql, "INSERT INTO lock_fence (namespace, epoch, watermark_epoch) VALUES (", mine.name_space, ", ",
                  mine.epoch, ", ", mine.epoch, ")")
            .execute();
        return true;
    };
    try {
        co_return co_await deciding_.transact(work);
    } catch (already_exists const&) {
        // Another node has just inserted the row; now it can be compared.
    }
    co_return co_await deciding_.transact(work);
}

awaitable<duration> ledger::set_edit_lead(fence mine, duration lead)
{
    auto const work = [&](soci::session& sql) {
        touch_fence(sql, mine);
        auto const former = read_edit_lead(sql);
        if (former != lead)
            statement(sql, "UPDATE lock_fence SET edit_lead_us = ", lead, " WHERE namespace = ", mine.name_space)
                .execute();
        return former;
    };
    co_return co_await deciding_.transact(work);
}

awaitable<void> ledger::mark_fired(fence mine, utc_time until)
{
    auto const work = [&](soci::session& sql) {
        touch_fence(sql, mine);
        statement(sql, "UPDATE lock_fence SET fired_until = ", until, " WHERE namespace = ", mine.name_space,
                  " AND fired_until < ", until)
            .execute();
    };
    co_await deciding_.transact(work);
}

awaitable<utc_time> ledger::fired_until(std::string name_space)
{
    utc_time found{};
    auto const work = [&](soci::session& sql) {
        statement(sql).select("fired_until")(" FROM lock_fence WHERE namespace = ", name_space).each([&](row& answer) {
            found = answer.moment();
        });
    };
    co_await deciding_.run(work);
    co_return found;
}

namespace {

// In this form MySQL begins at the place in the index. SQLite begins at the instant.
void behind(statement& ask, due_cursor const& place)
{
    auto const& [at, service, id] = place;
    ask(" AND next_fire_at >= ", at);
    if (service.project.empty())
        return; // all tasks of the instant are behind it
    ask(" AND (next_fire_at > ", at, " OR (next_fire_at = ", at, " AND (project > ", service.project,
        " OR (project = ", service.project, " AND (service > ", service.service, " OR (service = ", service.service,
        " AND id > ", id, "))))))");
}

} // namespace

awaitable<std::vector<due_task>> ledger::due(utc_time until, due_cursor after, int limit)
{
    std::vector<due_task> found;
    auto const work = [&](soci::session& sql) {
        found.clear();
        statement ask(sql);
        ask.select("id", "version", "next_fire_at", "project", "service", "created_at", "definition",
                   "COALESCE(firing_cursor, next_fire_at)", "firings");
        ask(" FROM task", by_index{"task_due"}, " WHERE namespace = ", name_space_,
            " AND parked_for = '' AND next_fire_at < ", until);
        behind(ask, after);
        ask(" ORDER BY next_fire_at, project, service, id LIMIT ", limit);
        ask.each([&](row& cells) {
            auto& task = found.emplace_back();
            task.id = cells.name<task_id>();
            task.version = cells.small();
            task.next_fire_at = cells.moment();
            task.service.project = cells.text();
            task.service.service = cells.text();
            task.created_at = cells.moment();
            task.definition = cells.text();
            task.cursor = cells.moment();
            task.firings = cells.number();
        });
    };
    co_await deciding_.run(work);
    co_return found;
}

awaitable<std::optional<utc_time>> ledger::first_due(utc_time until)
{
    std::optional<utc_time> found;
    auto const work = [&](soci::session& sql) {
        found.reset();
        statement(sql)
            .select("next_fire_at")(" FROM task", by_index{"task_due"}, " WHERE namespace = ", name_space_,
                                    " AND parked_for = '' AND next_fire_at < ", until, " ORDER BY next_fire_at LIMIT 1")
            .each([&](row& cells) { found = cells.moment(); });
    };
    co_await shared_.run(work);
    co_return found;
}

awaitable<int> ledger::count_due(utc_time from, utc_time until, int most)
{
    int found = 0;
    auto const work = [&](soci::session& sql) {
        statement ask(sql);
        ask.select("COUNT(*)");
        ask(" FROM (SELECT id FROM task", by_index{"task_due"}, " WHERE namespace = ", name_space_,
            " AND parked_for = '' AND next_fire_at >= ", from, " AND next_fire_at < ", until, " LIMIT ", most,
            ") AS found");
        ask.each([&](row& cells) { found = cells.small(); });
    };
    co_await deciding_.run(work);
    co_return found;
}

namespace {

// `taken`: leave out the firings that have their rows, and return their executions there.
void write_page(soci::session& sql, protocol::term_id term, page_rows const& page, std::set<execution_id>* taken)
{
    if (advance_tasks(sql, page.tasks) != static_cast<std::int64_t>(page.tasks.size()))
        throw stale_page{};
    advance_firing_states(sql, page.tasks);
    if (taken != nullptr)
        insert_page(sql, term, without_taken(sql, page, *taken));
    else
        insert_page(sql, term, page);
}

} // namespace

awaitable<planned_page> ledger::plan(fence mine, std::vector<advance> const& tasks,
                                     std::vector<new_execution> const& executions,
                                     std::vector<skipped_firings> const& skipped)
{
    page_rows const page{tasks, executions, skipped};
    bool pass_over = false;
    planned_page outcome;
    auto const work = [&](soci::session& sql) {
        touch_fence(sql, mine);
        outcome.locked = lock_tasks_of(sql, page.tasks);
        outcome.taken.clear();
        auto* const taken = pass_over ? &outcome.taken : nullptr;
        protocol::term_id const term{name_space_, mine.epoch};
        if (outcome.locked.empty())
            write_page(sql, term, page, taken);
        else
            write_page(sql, term, without_tasks(page, outcome.locked), taken);
    };
    try {
        co_await deciding_.transact(work);
        outcome.done = true;
        co_return outcome;
    } catch (stale_page const& why) {
        pass_over = why.firing_taken;
    }
    // The tasks stood as they were read, yet a firing of theirs has its row: an edit met it too late. It has happened,
    // so the task advances past it; otherwise this page would fail for ever.
    if (pass_over) {
        try {
            co_await deciding_.transact(work);
            outcome.done = true;
        } catch (stale_page const&) {
            // A task has changed after all.
        }
    }
    co_return outcome;
}

awaitable<void> ledger::give_up_edits(std::vector<signal_id> const& announced)
{
    for (auto const one : announced) {
        auto const work = [&](soci::session& sql) {
            statement(sql, "DELETE FROM `signal` WHERE id = ", one).execute();
        };
        co_await shared_.run(work);
    }
}

awaitable<utc_time> ledger::now()
{
    auto const work = [](soci::session& sql) { return read_now(sql); };
    co_return from_micros(co_await shared_.run(work));
}

} // namespace baton::storage
