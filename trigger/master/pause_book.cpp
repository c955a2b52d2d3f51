#include "trigger/master/pause_book.hpp"

namespace baton::trigger {

pause_book::pause_book(std::vector<protocol::pause> const& all)
{
    for (auto const& one : all)
        if (one.in_force() || one.firings == protocol::paused_firings::skip)
            protocol::value_of(by_service_, one.of).push_back(one);
}

template <class Match>
protocol::pause const* pause_book::find(protocol::service_view service, Match match) const
{
    for (auto const& key : {service, protocol::service_view{service.project, {}}})
        if (auto const found = by_service_.find(key); found != by_service_.end())
            for (auto const& one : found->second)
                if (match(one))
                    return &one;
    return nullptr;
}

protocol::pause const* pause_book::in_force(protocol::service_view service) const
{
    return find(service, [](protocol::pause const& one) { return one.in_force(); });
}

protocol::pause const* pause_book::skips(protocol::service_view service, utc_time at) const
{
    return find(service, [at](protocol::pause const& one) {
        return one.firings == protocol::paused_firings::skip && one.covers(at);
    });
}

} // namespace baton::trigger
