#include "libs/protocol/offers.hpp"
#include "web/view.hpp"

namespace baton::web {

namespace {

using nlohmann::json;

json drain_of(std::optional<storage::client_drain> const& drain)
{
    if (!drain)
        return nullptr;
    return {{"since", to_rfc3339(drain->since)}, {"by", drain->by}, {"reason", drain->reason}};
}

json refusal_of(protocol::client_figures const& of)
{
    if (of.refused_path.empty())
        return nullptr;
    return {{"path", of.refused_path}, {"why", of.refused_why}, {"ms", of.refused_ms}};
}

json live_of(told_figures const& told)
{
    if (!told.figures)
        return nullptr;
    auto const& of = *told.figures;
    return {{"heard_ms", of.heard_ms},     {"answered_ms", of.answered_ms < 0 ? json() : json(of.answered_ms)},
            {"free_slots", of.free_slots}, {"in_flight", of.in_flight},
            {"waiting", of.waiting},       {"clock_offset_ms", of.clock_told ? json(of.clock_offset_ms) : json()},
            {"refused", refusal_of(of)}};
}

} // namespace

nlohmann::json show(storage::client_record const& client, told_figures const& told)
{
    return {{"instance", client.instance},
            {"project", client.project},
            {"service", client.service},
            {"address", client.address},
            {"handlers", protocol::handlers_in(client.handlers)},
            {"tags", protocol::tags_in(client.handlers)},
            {"slots", client.slots},
            {"queue", client.queue},
            {"version", client.version},
            {"node", client.node},
            {"state", to_string(client.state)},
            {"reach", protocol::to_string(client.reach)},
            {"reach_why", client.reach_why.empty() ? json() : json(client.reach_why)},
            {"joined_at", to_rfc3339(client.joined_at)},
            {"changed_at", to_rfc3339(client.changed_at)},
            {"drained", drain_of(client.drained)},
            {"live", live_of(told)},
            {"live_code", or_null(told.failure, protocol::to_string<node_failure>)},
            {"live_why", told.why.empty() ? json() : json(told.why)}};
}

} // namespace baton::web
