#include "libs/protocol/pause.hpp"

namespace baton::protocol {

pause const* pause_of(std::vector<pause> const& all, service_view service)
{
    pause const* of_project = nullptr;
    for (auto const& one : all) {
        if (service_view(one.of) == service)
            return &one;
        if (one.of.service.empty() && one.of.project == service.project)
            of_project = &one;
    }
    return of_project;
}

std::string to_text(pause const& which)
{
    auto const by = which.begun_by.empty() ? "" : " (by " + which.begun_by + ")";
    auto const what =
        which.of.service.empty() ? "project '" + which.of.project : "service '" + to_text(service_view(which.of));
    return what + "' is paused: " + which.reason + by;
}

} // namespace baton::protocol
