#include "trigger/master/broadcast_splitter.hpp"

#include "libs/schedule/misfire.hpp"

namespace baton::trigger {

namespace {
constexpr int splits_at_once = 20;   // each is a transaction, and the ends of others wait for it
constexpr int skips_at_once = 1'000; // of firings that are late
} // namespace

awaitable<bool> broadcast_splitter::round()
{
    bool any = false;
    auto& waiting = queue_.unsplit();
    auto const met = [this](unsplit_broadcasts::need const& needed) { return is_met(needed); };
    for (int splits = 0, skips = 0; splits < splits_at_once && skips < skips_at_once;) {
        auto const id = waiting.next(scope_.term.time.now(), met);
        if (!id)
            break;
        bool const has_shards = co_await split(*id);
        waiting.done();
        ++(has_shards ? splits : skips);
        any = any || has_shards;
    }
    co_return any;
}

bool broadcast_splitter::is_met(unsplit_broadcasts::need const& needed)
{
    return needed.demand.empty() || scope_.clients.serving(needed.service, needed.demand).working != 0;
}

// Durable before any shard is sent. False if there is nothing to split.
awaitable<bool> broadcast_splitter::split(execution_id id)
{
    auto* const broadcast = scope_.open.find(id);
    if (broadcast == nullptr || (broadcast->phase != phase::waiting && broadcast->phase != phase::parent))
        co_return false; // it has ended, or is being cancelled
    if (broadcast->phase == phase::waiting && scope_.open.is_left_out(*broadcast, scope_.term.clock.now())) {
        next_.skip(*broadcast, schedule::reason_of_skip(broadcast->task->definition.misfire));
        co_return false;
    }
    auto shards = shards_of(*broadcast);
    scope_.open.move(*broadcast, phase::parent); // a cancel reaches its shards from now on
    co_await scope_.term.until_active(transaction_need);
    open_set::reading const seen(scope_.open);
    bool const inserted = co_await scope_.ledger.expand(scope_.term.fence, id, shards.rows);
    if (inserted)
        for (auto& one : shards.open)
            scope_.open.add(std::move(one), seen);
    co_return true;
}

broadcast_splitter::shard_set broadcast_splitter::shards_of(open_execution const& broadcast)
{
    shard_set out;
    auto const& definition = broadcast.task->definition;
    for (auto& instance : instances_for(definition)) {
        open_execution one = broadcast;
        one.id = ids_.make<execution_id>();
        one.parent = broadcast.id;
        one.phase = phase::waiting;
        one.ready = false;
        one.scheduled = false;
        one.admitted_at.reset();
        one.attempt = 1;
        one.due_at = scope_.term.clock.now();
        one.shard_index = static_cast<int>(out.rows.size());
        one.shard_instance = std::move(instance);
        auto row = storage::make_execution(one.id, one.task->id, one.task->version, definition, one.scheduled_at);
        row.cause = protocol::cause::shard;
        row.parent = broadcast.id;
        row.shard_index = one.shard_index;
        row.shard_instance = one.shard_instance;
        if (one.payload)
            row.payload = std::string(one.payload->view());
        out.rows.push_back(std::move(row));
        out.open.push_back(std::move(one));
    }
    for (std::size_t i = 0; i < out.rows.size(); ++i)
        out.rows[i].shard_total = out.open[i].shard_total = static_cast<int>(out.rows.size());
    return out;
}

// The clients of the shards: each live client that serves the handler, or, of a fixed number of shards, none in
// particular.
std::vector<std::string> broadcast_splitter::instances_for(protocol::task_definition const& task) const
{
    if (task.route.shards != 0)
        return std::vector<std::string>(static_cast<std::size_t>(task.route.shards));
    auto const demand = protocol::demand_for(task.handler, task.route.tag);
    std::vector<std::string> found;
    for (auto const* client : scope_.clients.of_service(protocol::service_of(task)))
        if (client->takes_work && client->serves(demand))
            found.emplace_back(client->instance());
    return found;
}

} // namespace baton::trigger
