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
constexpr duration settled_after = 2s; // younger than this, memory may know better than what was read
constexpr duration cancel_again = 2s;
constexpr duration node_rows_kept = 60s; // of nodes that are gone
}

sweeper::sweeper(planner_settings plan, dispatcher_settings dispatch, client_settings clients, parts with,
                 std::function<void(storage::open_execution_row const&, open_set::reading const&)> load)
    : plan_(plan), dispatch_(dispatch), client_(clients), with_(with), load_(std::move(load))
{}

awaitable<void> sweeper::run()
{
    auto const step = [this]() -> awaitable<void> { co_await round(); };
    co_await every("the sweep of open executions", with_.term.time, plan_.sweep, step);
}

awaitable<void> sweeper::round()
{
    co_await with_.term.until_active(100ms);
    with_.open.count_backlog(with_.term.clock.now());
    std::set<std::string> holders;
    with_.open.each_under_way([&](open_execution& one) {
        // Unknown is not gone: one that joined at another node is heard of by the next reading of the table.
        if (one.phase == phase::held && one.since < with_.clients.read_at() && with_.clients.find(one.where) == nullptr)
            holders.insert(one.where);
    });
    for (auto const& instance : holders)
        client_gone(instance);
    repeat_the_silent();
    co_await compare();
    auto const stale = std::move(stale_);
    stale_.clear();
    co_await follow(stale);
    co_await cancel_requested();
    co_await bury_nodes();
}

void sweeper::client_gone(std::string const& instance)
{
    std::vector<open_execution*> held;
    with_.open.each_under_way([&](open_execution& one) {
        if (one.phase == phase::held && one.where == instance)
            held.push_back(&one);
    });
    for (auto* one : held) {
        if (one->shard_instance.empty())
            with_.next.open(*one, with_.term.clock.now(), protocol::attempt_cause::client_gone);
        else
            with_.next.fail(*one, "the client of this shard is gone");
    }
    if (!held.empty())
        log::old::warn("client {} is gone with {} executions", instance, held.size());
}

void sweeper::nodes_changed()
{
    std::vector<open_execution*> lost;
    with_.open.each_under_way([&](open_execution& one) {
        if (one.phase == phase::assigned && one.where != with_.nodes.self().incarnation && with_.nodes.gone(one.where))
            lost.push_back(&one);
    });
    for (auto* one : lost)
        with_.in_doubt.add(*one, protocol::attempt_cause::node_gone);
}

void sweeper::repeat_the_silent()
{
    std::map<std::string, std::vector<execution_id>> silent;
    auto const now = with_.term.time.now();
    with_.open.each_under_way([&](open_execution& one) {
        if (one.phase == phase::assigned && now - one.since > dispatch_.doubt_after) {
            one.since = now;
            silent[one.where].push_back(one.id);
        }
    });
    for (auto& [node, ids] : silent)
        with_.fire.repeat(node, std::move(ids));
}

void sweeper::reread(std::vector<execution_id> ids)
{
    stale_.insert(stale_.end(), ids.begin(), ids.end());
}

// What is overdue and open in the ledger, against what memory has: either may lack what the other knows.
awaitable<void> sweeper::compare()
{
    auto const began = with_.term.time.now();
    std::unordered_map<execution_id, storage::open_key> open;
    storage::open_cursor from;
    for (bool more = true; more;) {
        auto const keys = co_await with_.ledger.open_keys(with_.term.clock.now() - 1s, from, keys_at_once);
        for (auto const& key : keys)
            open.emplace(key.id, key);
        more = keys.size() == keys_at_once;
        if (more)
            from = {keys.back().due_at, keys.back().id};
    }
    std::vector<execution_id> ids;
    for (auto const& [id, key] : open) {
        auto* one = with_.open.find(id);
        if (one != nullptr && key.cancel_requested)
            one->cancel_requested = true;
        bool const behind = one != nullptr && key.retrying && one->attempt == key.attempt &&
                            (one->phase == phase::held || one->phase == phase::assigned);
        if (one == nullptr || behind)
            ids.push_back(id);
    }
    with_.open.each_under_way([&](open_execution& one) {
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
        open_set::reading const seen(with_.open);
        auto const rows = co_await with_.ledger.open_among(some);
        std::unordered_set<execution_id> open;
        for (auto const& row : rows) {
            open.insert(row.id);
            auto* one = with_.open.find(row.id);
            if (one == nullptr) {
                load_(row, seen);
                continue;
            }
            one->cancel_requested = one->cancel_requested || row.cancel_requested;
            one->max_attempts = row.max_attempts;
            bool const waits_for_hint = one->phase == phase::held || one->phase == phase::assigned;
            if (row.state == protocol::state::retrying && row.attempt == one->attempt &&
                (waits_for_hint || one->phase == phase::opening)) {
                with_.next.open(*one, row.due_at, protocol::attempt_cause::retry);
            } else if (one->phase == phase::opening) { // the attempt was opened, or somebody else moved it
                one->attempt = row.attempt;
                if (one->cancel_requested)
                    with_.next.cancel(*one);
                else
                    with_.in_doubt.add(*one, protocol::attempt_cause::take_over);
            }
        }
        for (auto const id : some)
            if (!open.contains(id))
                with_.completions.ended(id);
    }
}

awaitable<void> sweeper::cancel(std::vector<execution_id> ids)
{
    std::unordered_set<execution_id> const asked(ids.begin(), ids.end());
    with_.open.each([&](open_execution& one) {
        if (asked.contains(one.id) || (one.parent && asked.contains(*one.parent)))
            one.cancel_requested = true;
    });
    co_await cancel_requested();
}

awaitable<void> sweeper::cancel_requested()
{
    std::map<std::string, std::vector<execution_id>> at_clients;
    std::map<std::string, std::vector<execution_id>> at_nodes;
    auto const now = with_.term.time.now();
    with_.open.each([&](open_execution& one) {
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
    std::erase_if(cancelling_, [&](auto const& entry) { return with_.open.find(entry.first) == nullptr; });
    for (auto const& [instance, ids] : at_clients)
        co_await with_.fire.cancel_at_client(instance, ids);
    for (auto const& [node, ids] : at_nodes) {
        auto back = ids;
        if (!node.empty())
            back = co_await with_.fire.withdraw(node, ids);
        for (auto const id : back)
            if (auto* one = with_.open.find(id); one != nullptr && one->phase != phase::opening)
                with_.next.cancel(*one);
    }
}

// A node that left, or that was removed, may have clients too: one whose registration was committed late.
std::vector<std::string> sweeper::long_unknown()
{
    std::set<std::string> unknown;
    with_.clients.each([&](known_client const& client) {
        if (with_.nodes.find(client.row.node) == nullptr)
            unknown.insert(client.row.node);
    });
    std::erase_if(strangers_, [&](auto const& entry) { return !unknown.contains(entry.first); });
    if (!with_.nodes.regular_for(client_.ttl())) // nobody could adopt them during an outage
        return {};
    auto const now = with_.term.time.now();
    std::vector<std::string> out;
    for (auto const& node : unknown)
        if (now - strangers_.try_emplace(node, now).first->second > client_.ttl())
            out.push_back(node);
    return out;
}

// The clients of a node that is gone have their ttl to find another; those that did not are gone with it. The node may
// have answered one after it wrote its own row for the last time, by less than its ttl; by then that client has stopped
// beginning anything.
awaitable<void> sweeper::bury_nodes()
{
    std::vector<std::string> silent;
    std::vector<std::string> old;
    for (auto const& node : with_.nodes.all()) {
        if (node.alive() || node.incarnation == with_.nodes.self().incarnation ||
            !with_.nodes.silent_for(node, client_.ttl() + node.ttl))
            continue;
        silent.push_back(node.incarnation);
        if (node.age > node_rows_kept + client_.ttl())
            old.push_back(node.incarnation);
    }
    for (auto const& node : long_unknown())
        silent.push_back(node);
    for (auto const& node : silent)
        co_await with_.clients.bury_heard_by(node);
    for (auto const& node : old)
        co_await with_.nodes.remove(node);
}

} // namespace baton::trigger
