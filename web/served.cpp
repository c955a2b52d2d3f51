#include "web/served.hpp"

#include "web/refusal.hpp"

#include <algorithm>

namespace baton::web {

namespace {

constexpr std::size_t longest_list = 20;

std::string listed(std::vector<std::string> const& names, std::string const& project)
{
    if (names.empty())
        return "nothing is served in the project '" + project + "'";
    std::string text = "served are: ";
    for (std::size_t i = 0; i < std::min(names.size(), longest_list); ++i)
        text += (i == 0 ? "" : ", ") + names[i];
    return names.size() > longest_list ? text + " and more" : text;
}

constexpr char anyway[] = " (allow_unserved=true in the query accepts it all the same)";

} // namespace

void require_served(std::vector<storage::clients::service_handlers> const& live, protocol::service_view service,
                    std::string const& handler, int status)
{
    auto const found = std::ranges::find_if(live, [&](auto const& one) { return service == one.service; });
    if (found == live.end()) {
        std::vector<std::string> names;
        names.reserve(live.size());
        for (auto const& one : live)
            if (one.service.project == service.project) // what others serve is not for this project to know
                names.push_back(one.service.service);
        throw refused(status,
                      "no live client belongs to the service '" + to_text(service) + "'; " +
                          listed(names, std::string(service.project)) + anyway,
                      "service");
    }
    if (std::ranges::find(found->handlers, handler) == found->handlers.end())
        throw refused(status,
                      "no live client of the service '" + to_text(service) + "' serves the handler '" + handler +
                          "'; " + listed(found->handlers, std::string(service.project)) + anyway,
                      "handler");
}

} // namespace baton::web
