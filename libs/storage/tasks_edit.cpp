#include "libs/storage/task_row.hpp"
#include "libs/storage/tasks.hpp"

#include <algorithm>
#include <set>

namespace baton::storage {

namespace {

constexpr std::size_t most_overdue = 10'000; // a planner further behind than this has to catch up first

using change_function = std::function<protocol::task_definition(task_record const&)>;

// Ends the transaction with nothing changed and this answer.
struct refused {
    edit_outcome outcome;
};
// The firings to insert are more than ids were brought along.
struct ids_wanted {
    std::size_t count;
};

std::string_view to_string(edit_action action)
{
    static constexpr std::array<std::string_view, 4> names{"edited", "enabled", "disabled", "deleted"};
    return names[static_cast<std::size_t>(action)];
}

bool is_open(soci::session& sql, execution_id id)
{
    bool open = false;
    statement(sql)
        .select("COUNT(*)")(" FROM execution WHERE id = ", id, " AND due_at IS NOT NULL")
        .each([&](row& cells) { open = cells.flag(); });
    return open;
}

// One edit inside its transaction.
class editing {
public:
    editing(soci::session& sql, schedule_rules const& rules, duration lead, edit_action action)
        : sql_(sql), rules_(rules), lead_(lead), action_(action)
    {}

    // `spare`: ids for firings of the old definition that nobody has planned yet.
    edit_result run(task_id id, std::optional<int> seen, change_function const& change, signal_id signal,
                    std::vector<execution_id> const& spare)
    {
        auto const stored = find_task(sql_, id, true);
        if (!stored)
            throw refused{edit_outcome::not_found};
        result_.task = stored->record;
        if (seen && *seen != stored->record.version) {
            result_.outcome = edit_outcome::stale_version;
            return result_;
        }
        now_ = from_micros(read_now(sql_)); // after the wait for the row
        result_.valid_from = now_ + lead_;
        result_.signal = signal;
        result_.task.definition = change(stored->record);
        result_.task.version = stored->record.version + 1;
        result_.task.updated_at = now_;
        if (action_ != edit_action::deleted)
            document(result_.task.definition); // refuses what cannot be kept, before anything is written

        auto const overdue = insert_overdue(*stored, spare);
        result_.cancelled = static_cast<int>(cancel_planned());
        write(*stored, overdue);
        insert_version(sql_, result_.task, std::string(to_string(action_)), result_.valid_from, now_);
        insert_signal(sql_, signal, protocol::signal_kind::task, id.value());
        // The line was drawn ahead of now, and must still lie ahead when others can see it.
        if (lead_ > 0s && from_micros(read_now(sql_)) > result_.valid_from - lead_ / 2)
            throw try_again{};
        return result_;
    }

private:
    // Firings of the old definition in [next_fire_at, valid_from) that have no row.
    std::vector<utc_time> overdue_firings(stored_task const& stored)
    {
        auto const from = stored.record.next_fire_at;
        if (!from || *from >= result_.valid_from)
            return {};
        auto const& old = stored.record.definition;
        if (old.schedule.kind == protocol::schedule_kind::fixed_delay)
            return {*from};
        auto firings = rules_.between(old, stored.record.created_at, *from, result_.valid_from, most_overdue + 1);
        if (firings.size() > most_overdue)
            throw refused{edit_outcome::planner_behind};
        std::set<std::int64_t> present;
        statement(sql_)
            .select("scheduled_at")(" FROM execution WHERE task_id = ", stored.record.id,
                                    " AND scheduled_at >= ", *from, " AND scheduled_at < ", result_.valid_from,
                                    " AND run_key = 0")
            .each([&](row& cells) { present.insert(cells.number()); });
        std::erase_if(firings, [&](utc_time at) { return present.contains(to_micros(at)); });
        return firings;
    }

    // Returns the last execution inserted.
    std::optional<execution_id> insert_overdue(stored_task const& stored, std::vector<execution_id> const& spare)
    {
        auto const firings = overdue_firings(stored);
        if (firings.size() > spare.size())
            throw ids_wanted{firings.size()};
        auto const& old = stored.record.definition;
        std::vector<new_execution> rows;
        for (std::size_t i = 0; i < firings.size(); ++i)
            rows.push_back(make_execution(spare[i], stored.record.id, stored.record.version, old, firings[i]));
        insert_executions(sql_, rows, 0); // no master decided them
        return rows.empty() ? std::nullopt : std::optional(rows.back().id);
    }

    // Planned rows from the line on make room in the ledger: run_key 0 is for what the new definition says.
    std::int64_t cancel_planned()
    {
        auto const table = engine_of(sql_) == engine::sqlite ? fragment{"execution INDEXED BY execution_of_task"}
                                                             : fragment{"execution FORCE INDEX (execution_of_task)"};
        statement cancel(sql_, "UPDATE ", table,
                         " SET run_key = id, state = 'cancelled', due_at = NULL, ended_at = ", now_,
                         ", reason = ", reason());
        cancel(" WHERE task_id = ", result_.task.id, " AND scheduled_at >= ", result_.valid_from,
               " AND run_key = 0 AND state = 'planned' AND cause = 'schedule'");
        return cancel.execute();
    }

    std::string reason() const
    {
        if (action_ == edit_action::deleted)
            return "task deleted";
        if (!result_.task.definition.enabled)
            return "task disabled";
        return "superseded by version " + std::to_string(result_.task.version);
    }

    void write(stored_task const& stored, std::optional<execution_id> overdue)
    {
        auto& task = result_.task;
        if (action_ == edit_action::deleted) {
            statement(sql_, "DELETE FROM task WHERE id = ", task.id).execute();
            return;
        }
        auto const& definition = task.definition;
        std::optional<execution_id> waiting_for;
        if (definition.enabled && definition.schedule.kind == protocol::schedule_kind::fixed_delay &&
            stored.record.definition.schedule.kind == protocol::schedule_kind::fixed_delay) {
            waiting_for = overdue ? overdue : stored.waiting_for;
            if (waiting_for && !is_open(sql_, *waiting_for))
                waiting_for.reset();
        }
        task.next_fire_at.reset();
        if (definition.enabled && !waiting_for)
            task.next_fire_at = rules_.first(definition, task.created_at, result_.valid_from);
        update(waiting_for);
    }

    void update(std::optional<execution_id> waiting_for)
    {
        auto const& task = result_.task;
        auto const& definition = task.definition;
        statement change(sql_, "UPDATE task SET project = ", definition.project, ", name = ", definition.name,
                         ", version = ", task.version, ", enabled = ", definition.enabled,
                         ", service = ", definition.service, ", handler = ", definition.handler,
                         ", schedule_kind = ", protocol::to_string(definition.schedule.kind));
        change(", definition = ", document(definition), ", next_fire_at = ", task.next_fire_at,
               ", waiting_for = ", waiting_for, ", updated_at = ", task.updated_at, " WHERE id = ", task.id);
        try {
            change.execute();
        } catch (statement_error const& failure) {
            if (is_task_name_taken(failure))
                throw refused{edit_outcome::name_taken};
            throw;
        }
    }

    soci::session& sql_;
    schedule_rules const& rules_;
    duration lead_;
    edit_action action_;
    utc_time now_;
    edit_result result_;
};

} // namespace

awaitable<edit_result> tasks::edit(task_id id, std::optional<int> seen, edit_action action, id_generator& ids,
                                   std::function<protocol::task_definition(task_record const&)> change)
{
    // The generator belongs to the loop, so the ids are drawn here, before it is known how many are needed.
    std::vector<execution_id> spare;
    std::size_t wanted = 16;
    signal_id signal;
    auto const work = [&](soci::session& sql) {
        try {
            return editing(sql, rules_, lead_, action).run(id, seen, change, signal, spare);
        } catch (statement_error const& failure) {
            // An id, or a place in the ledger, was taken in the meantime.
            if (failure.why() == statement_error::kind::duplicate)
                throw try_again{};
            throw;
        }
    };
    for (int tries = 0; tries < most_fresh_tries; ++tries) {
        spare.clear();
        while (spare.size() < wanted)
            spare.push_back(ids.make<execution_id>());
        signal = ids.make<signal_id>();
        try {
            co_return co_await shared_.transact(work);
        } catch (refused const& answer) {
            edit_result result;
            result.outcome = answer.outcome;
            co_return result;
        } catch (ids_wanted const& more) {
            wanted = more.count + 16;
        } catch (try_again const&) {
            // With fresh ids and a fresh line.
        }
    }
    throw unavailable("database: too slow to edit a task ahead of its firings");
}

awaitable<edit_result> tasks::remove(task_id id, std::optional<int> seen, id_generator& ids)
{
    change_function const same = [](task_record const& task) { return task.definition; };
    co_return co_await edit(id, seen, edit_action::deleted, ids, same);
}

} // namespace baton::storage
