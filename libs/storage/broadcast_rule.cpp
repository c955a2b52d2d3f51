#include "libs/storage/broadcast_rule.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace baton::storage {

namespace {

using rows_by_id = std::map<execution_id, firing_execution const*>;

rows_by_id index(std::vector<firing_execution> const& firing)
{
    rows_by_id found;
    for (auto const& each : firing)
        found.emplace(each.id, &each);
    return found;
}

// The shard that this execution is, or runs again; null if there is none.
firing_execution const* shard_of(rows_by_id const& rows, execution_id which)
{
    auto at = rows.find(which);
    for (std::size_t steps = 0; at != rows.end() && steps < rows.size(); ++steps) {
        if (at->second->parent)
            return at->second;
        if (!at->second->rerun_of)
            break;
        at = rows.find(*at->second->rerun_of);
    }
    return nullptr;
}

} // namespace

std::optional<execution_id> broadcast_of(std::vector<firing_execution> const& firing, execution_id which)
{
    auto const* shard = shard_of(index(firing), which);
    return shard == nullptr ? std::nullopt : shard->parent;
}

bool meets_rule(std::vector<firing_execution> const& firing, execution_id broadcast, protocol::broadcast_end rule)
{
    auto const rows = index(firing);
    std::set<execution_id> succeeded;
    int shards = 0;
    for (auto const& each : firing) {
        auto const* shard = shard_of(rows, each.id);
        if (shard == nullptr || shard->parent != broadcast)
            continue;
        shards = shard->shard_total;
        if (each.succeeded)
            succeeded.insert(shard->id);
    }
    if (rule == protocol::broadcast_end::any)
        return !succeeded.empty();
    return shards != 0 && std::ssize(succeeded) == shards;
}

} // namespace baton::storage
