#include "web/pause_view.hpp"

#include "web/view.hpp"

namespace baton::web {

nlohmann::json show_pause(protocol::pause const* pause)
{
    if (pause == nullptr)
        return nullptr;
    return {{"of", pause->of.service.empty() ? "project" : "service"},
            {"firings", protocol::to_string(pause->firings)},
            {"reason", pause->reason},
            {"begun_by", pause->begun_by},
            {"begun_at", to_rfc3339(pause->since)},
            {"ended_by", pause->ended_by},
            {"ended_at", or_null(pause->ended_at, [](utc_time at) { return to_rfc3339(at); })}};
}

} // namespace baton::web
