#include "libs/protocol/service_settings.hpp"

#include "libs/protocol/strict.hpp"

namespace baton::protocol {

service_settings parse_service_settings(nlohmann::json const& value)
{
    strict_object object(value, "");
    service_settings settings;
    if (auto const* limits = object.find("limits"))
        settings.limits = parse_scope_limits(*limits, "limits");
    object.finish_listing();
    return settings;
}

nlohmann::json to_json(service_settings const& settings)
{
    return {{"limits", to_json(settings.limits)}};
}

} // namespace baton::protocol
