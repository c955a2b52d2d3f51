#include "libs/base/log.hpp"
#include "libs/storage/fresh_ids.hpp"
#include "libs/storage/task_editing.hpp"

namespace baton::storage {

awaitable<edit_result> tasks::edit(task_id id, std::optional<int> seen, edit_action action, id_generator& ids,
                                   std::function<protocol::task_definition(task_record const&)> change,
                                   std::optional<utc_time> not_before)
{
    // The generator belongs to the loop, so the ids are made before the transaction knows how many it needs.
    std::vector<execution_id> spare;
    std::size_t wanted = 16;
    signal_id signal;
    announcement told;
    auto const tell = [&](soci::session& sql) { told.at = announce(sql, name_space_, told.id, id); };
    auto const take_back = [&](soci::session& sql) { withdraw(sql, told.id); };
    auto const work = [&](soci::session& sql) {
        return try_again_if_taken([&] {
            editing one(sql, name_space_, planner_, lead_, action);
            one.require(told);
            if (not_before)
                one.not_before(*not_before);
            return one.run(id, seen, change, signal, spare);
        });
    };
    // Empty if more overdue firings are to be written first.
    auto const once = [&]() -> awaitable<std::optional<edit_result>> {
        spare.clear();
        while (spare.size() < wanted)
            spare.push_back(ids.make<execution_id>());
        signal = ids.make<signal_id>();
        told.id = ids.make<signal_id>();
        bool written = false;
        std::exception_ptr failure;
        std::optional<edit_result> result;
        try {
            co_await shared_.transact(tell);
            result = co_await shared_.transact(work);
            written = !result || result->outcome == edit_outcome::done;
        } catch (refused const& answer) {
            result.emplace().outcome = answer.outcome;
        } catch (ids_wanted const& more) {
            wanted = more.count + 16;
            failure = std::make_exception_ptr(try_again{});
        } catch (unavailable const&) {
            throw; // the edit may be committed, or the master gives it up
        } catch (...) {
            failure = std::current_exception();
        }
        if (written) // with it the announcement was taken back
            co_return result;
        co_await shared_.run(take_back);
        if (failure)
            std::rethrow_exception(failure);
        co_return result;
    };
    for (;;) {
        auto const done = co_await with_fresh_ids(once, "too slow to edit a task ahead of its firings");
        if (!done)
            continue;
        if (done->outcome == edit_outcome::done)
            note_lead(done->nodes_lead);
        co_return *done;
    }
}

void tasks::note_lead(duration of_nodes)
{
    if (of_nodes == std::exchange(nodes_lead_, of_nodes) || of_nodes == 0s || of_nodes == lead_)
        return;
    log::warn("edits", "web.edit_lead differs from planner.edit_lead of the master, edits take the longer one",
              {{"web_ms", lead_ / 1ms}, {"master_ms", of_nodes / 1ms}});
}

awaitable<edit_result> tasks::remove(task_id id, std::optional<int> seen, id_generator& ids)
{
    change_function const same = [](task_record const& task) { return task.definition; };
    co_return co_await edit(id, seen, edit_action::deleted, ids, same, std::nullopt);
}

} // namespace baton::storage
