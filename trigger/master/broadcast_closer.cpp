#include "trigger/master/broadcast_closer.hpp"

#include "libs/base/log.hpp"
#include "libs/base/outage.hpp"
#include "trigger/master/write_group.hpp"

namespace baton::trigger {

awaitable<void> broadcast_closer::run()
{
    for (;;) {
        try {
            co_await round();
        } catch (unavailable const& reason) {
            log::outage(reason, "broadcasts", "ending broadcasts whose shards have ended failed, trying again in 1 s",
                        {log::reason(reason.what())});
        }
        co_await queue_.wait_for_shards(scope_.term.time, scope_.term.time.now() + 1s);
    }
}

awaitable<void> broadcast_closer::round()
{
    auto const now = scope_.term.time.now();
    if (now - looked_at_ >= 1s) {
        looked_at_ = now;
        queue_.add_parents();
    }
    for (auto some = queue_.parents(most_in_a_group); !some.empty(); some = queue_.parents(most_in_a_group))
        co_await close(some);
}

// Those of the broadcasts that the first shard to succeed ends.
std::set<execution_id> broadcast_closer::ended_by_any(std::vector<execution_id> const& broadcasts)
{
    std::set<execution_id> found;
    for (auto const id : broadcasts)
        if (auto const* one = scope_.open.find(id);
            one != nullptr && one->task->definition.route.ends == protocol::broadcast_end::any)
            found.insert(id);
    return found;
}

awaitable<void> broadcast_closer::close(std::vector<execution_id> const& broadcasts)
{
    auto const by_any = ended_by_any(broadcasts);
    auto const write = [&](std::vector<execution_id> const& some) -> awaitable<void> {
        co_await scope_.term.until_active(transaction_need);
        auto const closed = co_await scope_.ledger.close_parents(scope_.term.fence, some, by_any);
        for (auto const id : closed) {
            if (by_any.contains(id))
                scope_.open.request_cancel(id); // the shards that are still open
            queue_.ended(id);
        }
    };
    auto const outcome = co_await storage::write_in_halves(broadcasts, write);
    queue_.were_looked_at(broadcasts);
    if (outcome.refused.empty())
        refusal_said_.clear();
    for (auto const& [id, why] : outcome.refused) {
        if (!outcome.all_refused())
            fail(id, why);
        else if (std::exchange(refusal_said_, why) != why)
            log::error("broadcasts", "the database refuses to end broadcasts, trying again each second",
                       {log::reason(why), {"execution", id.value()}});
    }
}

void broadcast_closer::fail(execution_id id, std::string const& why)
{
    auto* const one = scope_.open.find(id);
    if (one == nullptr || one->phase != phase::parent)
        return;
    log::error("broadcasts", "the database refuses to end a broadcast after its shards, it ends as failed",
               {log::reason(why), {"execution", id.value()}});
    next_.fail(*one, "it could not be ended after its shards: " + why);
}

} // namespace baton::trigger
