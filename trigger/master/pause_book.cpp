#include "trigger/master/pause_book.hpp"

namespace baton::trigger {

namespace {

// A master knows of a pause before it fires what is due so long after it: it reads the signals within edit_lead, which
// is at most a minute.
constexpr duration pause_is_known = 1min;

} // namespace

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

bool pause_book::surely_held(protocol::service_view service, utc_time due) const
{
    return find(service, [due](protocol::pause const& one) {
               return one.in_force() && one.since + pause_is_known < due;
           }) != nullptr;
}

} // namespace baton::trigger
