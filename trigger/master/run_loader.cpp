#include "trigger/master/run_loader.hpp"

namespace baton::trigger {

void run_loader::load(storage::open_execution_row const& row, open_set::reading const& seen)
{
    bool const is_new = scope_.open.find(row.id) == nullptr;
    loader_.load(row, seen);
    auto* const one = scope_.open.find(row.id);
    if (!is_new || !row.asked_for() || one == nullptr || one->phase != phase::waiting)
        return;
    auto const& definition = one->task->definition;
    if (is_over_bound(settings_, scope_.open, protocol::service_of(definition)))
        next_.skip(*one, reason_at_bound(definition.service));
}

} // namespace baton::trigger
