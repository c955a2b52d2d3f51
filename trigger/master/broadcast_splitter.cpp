#include "trigger/master/broadcast_splitter.hpp"

#include "libs/base/log.hpp"
#include "libs/base/outage.hpp"
#include "libs/schedule/misfire.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {
constexpr std::size_t splits_at_once = 20;   // each is a transaction
constexpr std::size_t skips_at_once = 1'000; // of firings that are late
} // namespace

awaitable<void> broadcast_splitter::run()
{
    for (;;) {
        auto next = scope_.term.time.now() + 1s;
        try {
            co_await round();
            next = scope_.term.time.now() + pause();
        } catch (unavailable const& reason) {
            log::outage(reason, "broadcasts", "splitting broadcasts into shards failed, trying again in 1 s",
                        {log::reason(reason.what())});
        }
        co_await queue_.wait_for_broadcasts(scope_.term.time, next);
    }
}

duration broadcast_splitter::pause() const
{
    auto const now = scope_.term.time.now();
    auto const waiting = queue_.unsplit().look_at(now).value_or(instant::max());
    auto const next = std::min({now + 1s, waiting, refused_.next()});
    return std::max<duration>(next - now, 1ms);
}

// A bounded number of them.
awaitable<void> broadcast_splitter::round()
{
    auto& waiting = queue_.unsplit();
    auto const met = [this](unsplit_broadcasts::need const& needed) { return is_met(needed); };
    for (std::size_t splits = 0, skips = 0; splits < splits_at_once && skips < skips_at_once;) {
        auto const id = waiting.next(scope_.term.time.now(), met);
        if (!id)
            break;
        bool const has_shards = co_await try_split(*id);
        waiting.done();
        ++(has_shards ? splits : skips);
    }
    auto const again = refused_.due(scope_.term.time.now());
    for (std::size_t i = 0; i < again.size() && i < splits_at_once; ++i)
        co_await try_split(again[i]);
}

// True if it was split, or tried to be. One that the database refuses is tried again beside the others.
awaitable<bool> broadcast_splitter::try_split(execution_id id)
{
    std::string refusal;
    bool tried = true;
    try {
        tried = co_await split(id);
    } catch (storage::rejected_data const& failure) {
        refusal = failure.why();
    }
    if (!refusal.empty()) {
        refuse(id, refusal);
    } else if (tried) {
        refused_.taken(id, scope_.term.time.now());
        scope_.due_changed.wake();
    } else {
        refused_.forget(id);
    }
    co_return tried;
}

void broadcast_splitter::refuse(execution_id id, std::string const& why)
{
    bool const news = !refused_.holds(id);
    bool const poisoned = refused_.refuse(id, scope_.term.time.now());
    auto* const one = scope_.open.find(id);
    if (poisoned && one != nullptr) {
        log::error("broadcasts", "the database refuses the shards of a broadcast and takes others, it ends as failed",
                   {log::reason(why), {"execution", id.value()}});
        next_.fail(*one, "it could not be split into shards: " + why);
    } else if (news) {
        log::error("broadcasts", "the database refuses the shards of a broadcast, trying again",
                   {log::reason(why), {"execution", id.value()}});
    }
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
        one.scheduled = one.begun = one.sent = one.out = one.marking = one.noted = one.displaced = false;
        one.admitted_at.reset();
        one.attempt = 1;
        one.due_at = scope_.term.clock.now();
        one.shard_index = static_cast<int>(out.rows.size());
        one.shard_instance = std::move(instance);
        auto row = storage::make_execution(one.id, one.task->id, one.task->version, definition, one.scheduled_at);
        row.cause = protocol::cause::shard;
        row.due_at = one.due_at; // by which the watermark judges it
        row.parent = broadcast.id;
        row.shard_index = one.shard_index;
        row.shard_instance = one.shard_instance;
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
