#include "trigger/delivery/reachability.hpp"

#include "libs/base/log.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {

constexpr duration collect = 500ms;        // news, before they are written together
constexpr duration new_cause_after = 1min; // a client that fails in several ways in turn is news so often
constexpr duration ask_again_after = 10s;  // to move
constexpr std::size_t rows_at_once = 500;
constexpr std::size_t most_tried = 100;
constexpr std::size_t longest_name = 100;

std::string without(std::string text, std::string const& prefix)
{
    return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

} // namespace

std::string reach_words(std::string const& node, std::string const& address, std::string cause, std::string const& next)
{
    if (address.empty())
        return "node " + node + " has calls for the client, which fetches them: " + cause +
               (next.empty() ? "" : "; the client is asked to register with node " + next);
    cause = without(without(std::move(cause), "cannot connect to " + address + ": "), address + ": ");
    auto words = "node " + node + " cannot reach " + address + ": " + cause;
    if (next.empty())
        return words + "; set `address` (`advertise` of an agent), or let the client fetch";
    return words + "; the client is asked to register with node " + next;
}

storage::node_record const* node_to_try(std::vector<storage::node_record const*> const& others,
                                        std::vector<std::string> const& tried)
{
    storage::node_record const* best = nullptr;
    for (auto const* node : others) {
        bool const fresh = std::find(tried.begin(), tried.end(), node->name) == tried.end();
        if (fresh && (best == nullptr || node->clients < best->clients))
            best = node;
    }
    return best;
}

storage::node_record const* reachability::next_node(known const& client) const
{
    return node_to_try(deps_.nodes.takers(), client.tried);
}

void reachability::found(lane_client const& who, protocol::reach state, std::string const& cause)
{
    auto& client = clients_[who.instance];
    bool const registered = std::exchange(client.generation, who.generation) != who.generation;
    auto const now = deps_.time.now();
    bool const other_cause = state == protocol::reach::unreachable && cause != client.cause && !cause.empty() &&
                             now - client.said_at >= new_cause_after;
    if (state != client.shown.state || other_cause)
        change(who, client, state, cause);
    else if (!registered)
        return;
    unwritten_[who.instance] = {who.instance, who.generation, state, client.shown.why};
    bell_.wake();
}

void reachability::change(lane_client const& who, known& client, protocol::reach state, std::string const& cause)
{
    auto const before = std::exchange(client.shown, {state, {}}).state;
    client.cause = cause;
    client.said_at = deps_.time.now();
    if (state == protocol::reach::unreachable) {
        auto const* next = next_node(client);
        client.shown.why =
            reach_words(deps_.nodes.self().name, who.address, cause, next == nullptr ? std::string() : next->name);
        log::warn("clients", "a client cannot be reached, it gets no work",
                  {log::reason(client.shown.why), {"client", who.instance}});
        tell(who.instance, client);
    } else if (before == protocol::reach::unreachable && state == protocol::reach::reachable) {
        log::info("clients", "a client can be reached again", {{"client", who.instance}, {"address", who.address}});
    }
}

// Through the request that the client holds open. Without one it is told when it watches again.
void reachability::tell(std::string const& instance, known& client)
{
    client.asked_at = {};
    if (!deps_.watches.holds(instance))
        return;
    if (auto answer = move_of(instance))
        deps_.watches.ask(instance, std::move(*answer));
}

std::optional<protocol::watch_answer> reachability::move_of(std::string const& instance)
{
    auto const found = clients_.find(instance);
    if (found == clients_.end() || found->second.shown.state != protocol::reach::unreachable)
        return std::nullopt;
    auto& client = found->second;
    auto const now = deps_.time.now();
    auto const* next = next_node(client);
    if (next == nullptr || (client.asked_at != instant{} && now - client.asked_at < ask_again_after))
        return std::nullopt;
    client.asked_at = now;
    return protocol::watch_answer{true, next->address, client.shown.why};
}

void reachability::tried(std::string const& instance, std::vector<std::string> nodes)
{
    auto const found = clients_.find(instance);
    if (found == clients_.end())
        return;
    std::erase_if(nodes, [](std::string const& name) { return name.size() > longest_name; });
    nodes.resize(std::min(nodes.size(), most_tried));
    found->second.tried = std::move(nodes);
}

reachability::view reachability::of(std::string const& instance) const
{
    auto const found = clients_.find(instance);
    return found == clients_.end() ? view{} : found->second.shown;
}

awaitable<void> reachability::run()
{
    for (;;) {
        while (unwritten_.empty())
            co_await bell_.wait();
        co_await deps_.time.sleep_for(collect);
        std::vector<storage::reach_change> group;
        while (!unwritten_.empty() && group.size() < rows_at_once)
            group.push_back(std::move(unwritten_.extract(unwritten_.begin()).mapped()));
        auto node = deps_.nodes.self().incarnation;
        try {
            co_await table_.set_reach(std::move(node), group);
        } catch (unavailable const& reason) {
            log::debug("clients", "writing which clients can be reached failed, trying again",
                       {log::reason(reason.what())});
            for (auto& one : group) {
                auto instance = one.instance;
                unwritten_.try_emplace(std::move(instance), std::move(one)); // there may be later news
            }
        }
    }
}

} // namespace baton::trigger
