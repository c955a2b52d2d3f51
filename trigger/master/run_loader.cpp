#include "trigger/master/run_loader.hpp"

namespace baton::trigger {

void run_loader::load(storage::open_execution_row const& row, open_set::reading const& seen)
{
    if (!loader_.load(row, seen) || !row.asked_for())
        return;
    auto& one = *scope_.open.find(row.id);
    auto const& definition = one.task->definition;
    if (one.phase == phase::waiting && is_over_bound(settings_, scope_.open, protocol::service_of(definition)))
        next_.skip(one, reason_at_bound(definition.service));
}

} // namespace baton::trigger
