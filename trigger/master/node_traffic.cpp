#include "trigger/master/node_traffic.hpp"

#include <utility>

namespace baton::trigger {

node_traffic::numbering node_traffic::number(std::string const& node)
{
    auto& mine = nodes_[node];
    return {next_++, {mine.open.begin(), mine.open.end()}};
}

void node_traffic::ended(std::string const& node, std::int64_t number)
{
    if (auto const found = nodes_.find(node); found != nodes_.end())
        found->second.open.erase(number);
}

bool node_traffic::busy(std::string const& node) const
{
    auto const found = nodes_.find(node);
    return found != nodes_.end() && found->second.open.size() >= most_open;
}

void node_traffic::stall(std::string const& node, protocol::service_view service)
{
    stalled_[node].insert(protocol::key_of(service));
}

protocol::service_set node_traffic::unstall(std::string const& node)
{
    auto const found = stalled_.find(node);
    if (found == stalled_.end())
        return {};
    auto services = std::move(found->second);
    stalled_.erase(found);
    return services;
}

bool node_traffic::avoided(std::string const& node, instant now)
{
    auto const found = avoided_.find(node);
    if (found == avoided_.end())
        return false;
    if (found->second > now)
        return true;
    avoided_.erase(found);
    return false;
}

bool node_traffic::heard_since(std::string const& node, instant from) const
{
    auto const found = heard_.find(node);
    return found != heard_.end() && found->second >= from;
}

} // namespace baton::trigger
