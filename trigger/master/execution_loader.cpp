#include "trigger/master/execution_loader.hpp"

#include "libs/base/log.hpp"

namespace baton::trigger {

void execution_loader::add(storage::open_execution_row const& row, bool maybe_sent, open_set::reading const& seen)
{
    if (scope_.open.find(row.id) != nullptr || seen.ended(row.id))
        return;
    try {
        if (!row.unreadable.empty())
            throw invalid_input("", row.unreadable);
        auto task = book_.get(row.task, row.version, row.definition, std::nullopt);
        scope_.open.add(make_open_execution(row, std::move(task)), seen);
    } catch (invalid_input const& failure) {
        log::error("term", "an execution cannot be read, it stays open and is not delivered",
                   {log::reason(failure.what()), {"execution", row.id.value()}, {"task", row.task.value()}});
        return;
    }
    auto& one = *scope_.open.find(row.id);
    if (row.state == protocol::state::retrying)
        next_.open(one, row.due_at, protocol::attempt_cause::retry);
    else if (one.broadcast() && row.state == protocol::state::running)
        scope_.open.move(one, phase::parent);
    else if (row.cancel_requested && !maybe_sent)
        next_.cancel(one);
    else if (maybe_sent && !one.broadcast())
        in_doubt_.add(one, protocol::attempt_cause::take_over);
    scope_.due_changed.wake();
}

} // namespace baton::trigger
