#include "trigger/master/execution_loader.hpp"

#include "libs/base/log.hpp"

namespace baton::trigger {

bool execution_loader::load(storage::open_execution_row const& row, open_set::reading const& seen)
{
    if (scope_.open.find(row.id) != nullptr || seen.ended(row.id) || scope_.open.expects(row.id))
        return false;
    bool const waits = row.state == protocol::state::waiting; // so no client has it
    try {
        if (!row.unreadable.empty())
            throw invalid_input("", row.unreadable);
        auto task = book_.get(row.task, row.version, row.definition, std::nullopt);
        auto made = make_open_execution(row, std::move(task));
        if (auto const* broadcast = row.parent ? scope_.open.find(*row.parent) : nullptr) {
            made.since_due = broadcast->since_due; // it was loaded before, because it was due before
            if (made.payload == broadcast->payload)
                made.payload = broadcast->payload; // one text for all pages of shards
        }
        if (!scope_.open.add(std::move(made), seen))
            return false;
    } catch (invalid_input const& failure) {
        log::error("term", "an execution cannot be read, it stays open and is not delivered",
                   {log::reason(failure.what()), {"execution", row.id.value()}, {"task", row.task.value()}});
        return false;
    }
    auto& one = *scope_.open.find(row.id);
    bool const marked_when_sent = one.task->definition.at_most_once(); // always
    bool const maybe_sent = maybe_sent_ && !waits && (one.out || !marked_when_sent) && maybe_sent_(row);
    if (!waits && (maybe_sent || one.has_begun()))
        steps_.under_way(one);
    if (row.state == protocol::state::retrying)
        steps_.retry(one, row.due_at);
    else if (one.broadcast() && row.state == protocol::state::running)
        scope_.open.move(one, phase::parent);
    else if (row.cancel_requested && !maybe_sent)
        steps_.cancel(one);
    else if (maybe_sent && !one.broadcast())
        steps_.doubt(one);
    else if (one.suspect() || (one.attempt > 1 && one.due_at > scope_.term.clock.now()))
        steps_.wait(one);
    else if (row.at_once())
        scope_.open.wait(one, utc_time{}); // no mark needs to be written before it is sent (fire_mark)
    scope_.due_changed.wake();
    return true;
}

} // namespace baton::trigger
