#include "trigger/clients/departure_notifier.hpp"

#include "libs/base/log.hpp"
#include "libs/protocol/revision.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {
constexpr std::size_t told_at_once = 1'000;
constexpr std::size_t most_waiting = 100'000; // for one node, which reads the table if more are lost
}

departure_notifier::departure_notifier(membership const& nodes, http::client& http, task_group& background)
    : nodes_(nodes), http_(http), background_(background)
{}

void departure_notifier::notify(std::string const& instance, std::string const& home)
{
    for (auto const& node : nodes_.all())
        if (node.role == "master" || node.incarnation == home)
            add(node.incarnation, {instance, {}, 0});
}

void departure_notifier::notify_moved(std::string const& instance, std::string const& before, std::int64_t generation)
{
    add(before, {instance, nodes_.self().incarnation, generation});
}

void departure_notifier::add(std::string const& node, protocol::departed_client one)
{
    if (node == nodes_.self().incarnation || !nodes_.alive(node))
        return;
    auto const [entry, idle] = waiting_.try_emplace(node);
    if (entry->second.size() < most_waiting)
        entry->second.push_back(std::move(one));
    if (idle)
        background_.spawn("the notices of clients' departures", send_all(node));
}

awaitable<void> departure_notifier::send_all(std::string node)
{
    for (auto* waiting = &waiting_[node]; !waiting->empty(); waiting = &waiting_[node]) {
        auto const count = std::min(waiting->size(), told_at_once);
        auto const end = waiting->begin() + static_cast<std::ptrdiff_t>(count);
        protocol::departed_message body;
        body.clients.assign(waiting->begin(), end);
        waiting->erase(waiting->begin(), end);
        if (auto const* to = nodes_.find(node)) {
            auto const record = *to;
            co_await send(record, std::move(body));
        }
    }
    waiting_.erase(node);
}

awaitable<void> departure_notifier::send(storage::node_record const& node, protocol::departed_message body)
{
    auto message = http::json_request(http::verb::post, protocol::path_departed, body);
    message.headers.set("Authorization", "Bearer " + node.secret);
    message.headers.set(protocol::revision_header, std::to_string(protocol::wire_revision));
    auto const to = http::parse_url(node.address);
    try {
        co_await http_.send(to, std::move(message), 1s);
    } catch (unavailable const& failure) {
        log::debug("clients", "telling a node of departures failed, the node will read them from the table",
                   {log::reason(failure.what()), {"node", node.name}, {"clients", body.clients.size()}});
    }
}

} // namespace baton::trigger
