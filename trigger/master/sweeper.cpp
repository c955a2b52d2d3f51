#include "trigger/master/sweeper.hpp"

#include "libs/base/error.hpp"
#include "libs/base/log.hpp"

#include <set>
#include <unordered_map>
#include <unordered_set>

namespace baton::trigger {

namespace {
constexpr std::size_t swept_at_once = 500;
constexpr std::size_t compared_at_once = 10'000;
constexpr duration settled_after = 2s;   // a younger change in memory may be newer than the row
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
    bury_holders();
    repeat_the_silent();
    co_await compare_overdue();
    co_await compare_under_way();
    auto const stale = scope_.open.stale(); // which stay in the list if reading them fails
    co_await follow(stale);
    scope_.open.forget_stale(stale.size());
    co_await bury_nodes();
}

// A client may have joined at another node, which this one has not read of yet.
void sweeper::bury_holders()
{
    std::vector<std::string> unknown;
    scope_.open.each_place([&](std::string const& where) {
        if (scope_.clients.find(where) == nullptr && deps_.nodes.find(where) == nullptr)
            unknown.push_back(where);
    });
    for (auto const& where : unknown) {
        bool known_since = false;
        scope_.open.each_at(where, [&](open_execution const& one) {
            known_since = known_since || !one.at_client() || one.since >= scope_.clients.read_at();
        });
        if (!known_since)
            client_gone(where);
    }
}

void sweeper::client_gone(std::string const& instance)
{
    std::vector<open_execution*> held;
    scope_.open.each_at(instance, [&](open_execution& one) {
        if (one.at_client())
            held.push_back(&one);
    });
    for (auto* one : held) {
        if (one->phase == phase::runs_earlier) // the client's death was counted when that attempt was given up
            deps_.in_doubt.add(*one, protocol::attempt_cause::client_gone);
        else if (one->shard_instance.empty())
            deps_.next.client_died(*one, protocol::attempt_cause::client_gone);
        else
            deps_.next.fail(*one, "the client of this shard is gone");
    }
    if (!held.empty())
        log::warn("sweep", "a client is gone with executions, they go out as the next attempt",
                  {{"client", instance}, {"executions", held.size()}});
}

void sweeper::nodes_changed()
{
    auto const& nodes = deps_.nodes;
    std::vector<std::string> gone;
    for (auto const& node : deps_.credits.nodes())
        if (node != nodes.self().incarnation && nodes.gone(node))
            gone.push_back(node);
    for (auto const& node : std::exchange(gone, {}))
        deps_.credits.forget(node);
    scope_.open.each_place([&](std::string const& where) {
        if (where != nodes.self().incarnation && scope_.clients.find(where) == nullptr && nodes.gone(where))
            gone.push_back(where);
    });
    for (auto const& node : gone) {
        std::vector<open_execution*> lost;
        scope_.open.each_at(node, [&](open_execution& one) {
            if (one.phase == phase::assigned)
                lost.push_back(&one);
        });
        for (auto* one : lost)
            deps_.in_doubt.add(*one, protocol::attempt_cause::node_gone);
    }
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
        deps_.repeats.repeat(node, std::move(ids));
}

// True if the ledger has gone on with this execution and memory has not.
bool sweeper::is_behind(storage::open_key const& key)
{
    auto* one = scope_.open.find(key.id);
    if (one == nullptr)
        return true;
    if (key.cancel_requested)
        scope_.open.request_cancel(*one);
    return key.retrying && one->attempt == key.attempt && (one->phase == phase::held || one->phase == phase::assigned);
}

// Overdue executions of the ledger that are not in memory: those that have just become overdue, and in turn all others.
awaitable<void> sweeper::compare_overdue()
{
    std::vector<execution_id> ids;
    auto const keys = co_await overdue_.next();
    for (auto const& key : keys)
        if (is_behind(key))
            ids.push_back(key.id);
    co_await follow(std::move(ids));
    overdue_.seen();
}

// Executions that a client or node has. They may have ended without a hint.
awaitable<void> sweeper::compare_under_way()
{
    auto ids = settled_under_way();
    auto const keys = co_await scope_.ledger.open_keys_among(ids);
    std::unordered_set<execution_id> unchanged;
    for (auto const& key : keys)
        if (!is_behind(key))
            unchanged.insert(key.id);
    std::erase_if(ids, [&](auto id) { return unchanged.contains(id); });
    co_await follow(std::move(ids));
}

// All of them in turn, a bounded number at each call.
std::vector<execution_id> sweeper::settled_under_way()
{
    if (to_compare_.empty())
        scope_.open.each_under_way([&](open_execution const& one) { to_compare_.push_back(one.id); });
    std::vector<execution_id> found;
    auto const now = scope_.term.time.now();
    while (!to_compare_.empty() && found.size() < compared_at_once) {
        auto const* one = scope_.open.find(to_compare_.back());
        to_compare_.pop_back();
        if (one != nullptr && one->since + settled_after < now &&
            (one->at_client() || one->phase == phase::assigned || one->phase == phase::parent))
            found.push_back(one->id);
    }
    return found;
}

namespace {

void copy_attempt(storage::open_execution_row const& row, open_execution& one)
{
    if (std::exchange(one.attempt, row.attempt) != row.attempt)
        one.ran = one.sent = one.marking = one.given_back = false;
    one.due_at = row.due_at;
    one.out = row.out || row.runs();
}

} // namespace

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
            if (row.cancel_requested)
                scope_.open.request_cancel(*one);
            one->max_attempts = row.max_attempts;
            one->deaths = row.deaths;
            one->begun = one->begun || row.begun;
            if (one->last_client.empty())
                one->last_client = row.last_client;
            bool const is_behind = one->phase == phase::held || one->phase == phase::assigned ||
                                   one->phase == phase::opening || one->phase == phase::waiting;
            if (row.state == protocol::state::retrying && row.attempt == one->attempt && is_behind) {
                deps_.next.retry_recorded(*one, row.due_at);
            } else if (one->phase == phase::opening &&
                       !one->ending) { // the attempt was opened, or another writer moved it
                copy_attempt(row, *one);
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

// A node without a row may still have clients: a registration may have been committed late.
std::vector<std::string> sweeper::long_unknown()
{
    std::set<std::string> unknown;
    for (auto const& [home, clients] : scope_.clients.homes())
        if (deps_.nodes.find(home) == nullptr)
            unknown.insert(home);
    std::erase_if(strangers_, [&](auto const& entry) { return !unknown.contains(entry.first); });
    if (!deps_.nodes.regular_for(settings_.clients.ttl())) // during an outage no node could adopt them
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
    for (auto const& node : deps_.nodes.all()) {
        if (node.alive() || node.incarnation == deps_.nodes.self().incarnation ||
            !deps_.nodes.silent_for(node, settings_.clients.ttl() + node.ttl))
            continue;
        silent.push_back(node.incarnation);
        if (node.age > node_rows_kept + settings_.clients.ttl())
            old.push_back(node.incarnation);
    }
    for (auto const& node : long_unknown())
        silent.push_back(node);
    for (auto const& node : silent)
        co_await scope_.clients.bury_heard_by(node);
    for (auto const& node : old)
        co_await deps_.nodes.remove(node);
}

} // namespace baton::trigger
