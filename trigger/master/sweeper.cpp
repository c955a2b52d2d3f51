#include "trigger/master/sweeper.hpp"

#include "libs/base/error.hpp"
#include "libs/base/log.hpp"

#include <set>
#include <unordered_map>
#include <unordered_set>

namespace baton::trigger {

namespace {
constexpr int keys_at_once = 5'000;
constexpr std::size_t swept_at_once = 500;
constexpr duration settled_after = 2s; // a younger change in memory may be newer than the row
constexpr duration cancel_again = 2s;
constexpr duration node_rows_kept = 60s; // of nodes that are gone
}

awaitable<void> sweeper::run()
{
    auto const step = [this]() -> awaitable<void> { co_await round(); };
    co_await every("the sweep of open executions", scope_.term.time, settings_.planner.sweep, step);
}

awaitable<void> sweeper::round()
{
    co_await scope_.term.until_active(100ms);
    scope_.open.count_backlog(scope_.term.clock.now());
    std::set<std::string> holders;
    scope_.open.each_under_way([&](open_execution& one) {
        // The client may have joined at another node: the next reading of the table shows it.
        if (one.phase == phase::held && one.since < deps_.node.clients.read_at() &&
            deps_.node.clients.find(one.where) == nullptr)
            holders.insert(one.where);
    });
    for (auto const& instance : holders)
        client_gone(instance);
    repeat_the_silent();
    co_await compare();
    auto stale = scope_.open.take_stale();
    co_await follow(std::move(stale));
    co_await cancel_requested();
    co_await bury_nodes();
}

void sweeper::client_gone(std::string const& instance)
{
    std::vector<open_execution*> held;
    scope_.open.each_under_way([&](open_execution& one) {
        if (one.phase == phase::held && one.where == instance)
            held.push_back(&one);
    });
    for (auto* one : held) {
        if (one->shard_instance.empty())
            deps_.next.open(*one, scope_.term.clock.now(), protocol::attempt_cause::client_gone);
        else
            deps_.next.fail(*one, "the client of this shard is gone");
    }
    if (!held.empty())
        log::warn("sweep", "a client is gone with executions, they go out as the next attempt",
                  {{"client", instance}, {"executions", held.size()}});
}

void sweeper::nodes_changed()
{
    std::vector<open_execution*> lost;
    scope_.open.each_under_way([&](open_execution& one) {
        if (one.phase == phase::assigned && one.where != deps_.node.nodes.self().incarnation &&
            deps_.node.nodes.gone(one.where))
            lost.push_back(&one);
    });
    for (auto* one : lost)
        deps_.in_doubt.add(*one, protocol::attempt_cause::node_gone);
}

void sweeper::repeat_the_silent()
{
    std::map<std::string, std::vector<execution_id>> silent;
    auto const now = scope_.term.time.now();
    scope_.open.each_under_way([&](open_execution& one) {
        if (one.phase == phase::assigned && now - one.since > settings_.dispatcher.doubt_after) {
            one.since = now;
            silent[one.where].push_back(one.id);
        }
    });
    for (auto& [node, ids] : silent)
        deps_.assigner.repeat(node, std::move(ids));
}

// Compares the overdue open executions of the ledger with memory: either may lack what the other has.
awaitable<void> sweeper::compare()
{
    auto const began = scope_.term.time.now();
    std::unordered_map<execution_id, storage::open_key> open;
    storage::open_cursor from;
    for (bool more = true; more;) {
        auto const keys = co_await scope_.ledger.open_keys(scope_.term.clock.now() - 1s, from, keys_at_once);
        for (auto const& key : keys)
            open.emplace(key.id, key);
        more = keys.size() == keys_at_once;
        if (more)
            from = {keys.back().due_at, keys.back().id};
    }
    std::vector<execution_id> ids;
    for (auto const& [id, key] : open) {
        auto* one = scope_.open.find(id);
        if (one != nullptr && key.cancel_requested)
            one->cancel_requested = true;
        bool const behind = one != nullptr && key.retrying && one->attempt == key.attempt &&
                            (one->phase == phase::held || one->phase == phase::assigned);
        if (one == nullptr || behind)
            ids.push_back(id);
    }
    scope_.open.each_under_way([&](open_execution& one) {
        bool const under_way = one.phase == phase::held || one.phase == phase::assigned || one.phase == phase::parent;
        if (under_way && one.since + settled_after < began && !open.contains(one.id))
            ids.push_back(one.id);
    });
    co_await follow(ids);
}

awaitable<void> sweeper::follow(std::vector<execution_id> ids)
{
    for (std::size_t begin = 0; begin < ids.size(); begin += swept_at_once) {
        auto const end = std::min(begin + swept_at_once, ids.size());
        std::vector<execution_id> const some(ids.begin() + static_cast<std::ptrdiff_t>(begin),
                                             ids.begin() + static_cast<std::ptrdiff_t>(end));
        open_set::reading const seen(scope_.open);
        auto const rows = co_await scope_.ledger.open_among(some);
        std::unordered_set<execution_id> open;
        for (auto const& row : rows) {
            open.insert(row.id);
            auto* one = scope_.open.find(row.id);
            if (one == nullptr) {
                deps_.loader.load(row, seen);
                continue;
            }
            one->cancel_requested = one->cancel_requested || row.cancel_requested;
            one->max_attempts = row.max_attempts;
            bool const waits_for_hint = one->phase == phase::held || one->phase == phase::assigned;
            if (row.state == protocol::state::retrying && row.attempt == one->attempt &&
                (waits_for_hint || one->phase == phase::opening)) {
                deps_.next.open(*one, row.due_at, protocol::attempt_cause::retry);
            } else if (one->phase == phase::opening) { // the attempt was opened, or another writer moved it
                one->attempt = row.attempt;
                if (one->cancel_requested)
                    deps_.next.cancel(*one);
                else
                    deps_.in_doubt.add(*one, protocol::attempt_cause::take_over);
            }
        }
        for (auto const id : some)
            if (!open.contains(id))
                deps_.completions.ended(id);
    }
}

awaitable<void> sweeper::cancel(std::vector<execution_id> ids)
{
    std::unordered_set<execution_id> const asked(ids.begin(), ids.end());
    scope_.open.each([&](open_execution& one) {
        if (asked.contains(one.id) || (one.parent && asked.contains(*one.parent)))
            one.cancel_requested = true;
    });
    co_await cancel_requested();
}

awaitable<void> sweeper::cancel_requested()
{
    std::map<std::string, std::vector<execution_id>> at_clients;
    std::map<std::string, std::vector<execution_id>> at_nodes;
    auto const now = scope_.term.time.now();
    scope_.open.each([&](open_execution& one) {
        if (!one.cancel_requested)
            return;
        auto& told = cancelling_.try_emplace(one.id, instant{}).first->second;
        if (now - told < cancel_again)
            return;
        told = now;
        if (one.phase == phase::held)
            at_clients[one.where].push_back(one.id);
        else if (one.phase == phase::parent)
            told = {}; // ends with its shards
        else if (one.phase == phase::assigned)
            at_nodes[one.where].push_back(one.id);
        else if (one.phase == phase::waiting)
            at_nodes[{}].push_back(one.id);
    });
    std::erase_if(cancelling_, [&](auto const& entry) { return scope_.open.find(entry.first) == nullptr; });
    for (auto const& [instance, ids] : at_clients)
        co_await deps_.assigner.cancel_at_client(instance, ids);
    for (auto const& [node, ids] : at_nodes) {
        auto back = ids;
        if (!node.empty())
            back = co_await deps_.assigner.withdraw(node, ids);
        for (auto const id : back)
            if (auto* one = scope_.open.find(id); one != nullptr && one->phase != phase::opening)
                deps_.next.cancel(*one);
    }
}

// A node without a row may still have clients: a registration may have been committed late.
std::vector<std::string> sweeper::long_unknown()
{
    std::set<std::string> unknown;
    deps_.node.clients.each([&](known_client const& client) {
        if (deps_.node.nodes.find(client.row.node) == nullptr)
            unknown.insert(client.row.node);
    });
    std::erase_if(strangers_, [&](auto const& entry) { return !unknown.contains(entry.first); });
    if (!deps_.node.nodes.regular_for(settings_.clients.ttl())) // during an outage no node could adopt them
        return {};
    auto const now = scope_.term.time.now();
    std::vector<std::string> out;
    for (auto const& node : unknown)
        if (now - strangers_.try_emplace(node, now).first->second > settings_.clients.ttl())
            out.push_back(node);
    return out;
}

// The clients of a node that is gone have their ttl to find another node; then they are gone too. The node may have
// answered a client for less than the node's ttl after it last wrote its own row. So this waits for both times: by then
// such a client has stopped beginning executions.
awaitable<void> sweeper::bury_nodes()
{
    std::vector<std::string> silent;
    std::vector<std::string> old;
    for (auto const& node : deps_.node.nodes.all()) {
        if (node.alive() || node.incarnation == deps_.node.nodes.self().incarnation ||
            !deps_.node.nodes.silent_for(node, settings_.clients.ttl() + node.ttl))
            continue;
        silent.push_back(node.incarnation);
        if (node.age > node_rows_kept + settings_.clients.ttl())
            old.push_back(node.incarnation);
    }
    for (auto const& node : long_unknown())
        silent.push_back(node);
    for (auto const& node : silent)
        co_await deps_.node.clients.bury_heard_by(node);
    for (auto const& node : old)
        co_await deps_.node.nodes.remove(node);
}

} // namespace baton::trigger
