#include "trigger/delivery/probe_line.hpp"

namespace baton::trigger {

void probe_line::put(probe one)
{
    auto& which = services_[one.service];
    which.instances.push_back(std::move(one.instance));
    give_turn(one.service, which);
}

std::optional<probe_line::probe> probe_line::begin()
{
    if (under_way_ >= at_once || turns_.empty())
        return std::nullopt;
    probe next{std::move(turns_.front()), {}};
    turns_.pop_front();
    auto& which = services_.at(next.service);
    which.in_turn = false;
    next.instance = std::move(which.instances.front());
    which.instances.pop_front();
    ++which.under_way;
    ++under_way_;
    give_turn(next.service, which);
    return next;
}

void probe_line::end(protocol::service_key const& service)
{
    auto const found = services_.find(service);
    auto& which = found->second;
    --which.under_way;
    --under_way_;
    give_turn(service, which);
    if (which.under_way == 0 && which.instances.empty())
        services_.erase(found);
}

void probe_line::give_turn(protocol::service_key const& service, waiting& which)
{
    if (which.in_turn || which.instances.empty() || which.under_way >= of_a_service)
        return;
    which.in_turn = true;
    turns_.push_back(service);
}

} // namespace baton::trigger
