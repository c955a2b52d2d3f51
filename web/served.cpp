#include "web/served.hpp"

#include "web/refusal.hpp"

#include <algorithm>

namespace baton::web {

namespace {

constexpr std::size_t longest_list = 20;

std::string listed(std::vector<std::string> const& names)
{
    if (names.empty())
        return "nothing is served";
    std::string text = "served are: ";
    for (std::size_t i = 0; i < std::min(names.size(), longest_list); ++i)
        text += (i == 0 ? "" : ", ") + names[i];
    return names.size() > longest_list ? text + " and more" : text;
}

constexpr char anyway[] = " (allow_unserved=true in the query accepts it all the same)";

} // namespace

void require_served(std::vector<storage::clients::service_handlers> const& live, std::string const& service,
                    std::string const& handler, int status)
{
    auto const found = std::ranges::find(live, service, &storage::clients::service_handlers::service);
    if (found == live.end()) {
        std::vector<std::string> names;
        names.reserve(live.size());
        for (auto const& one : live)
            names.push_back(one.service);
        throw refused(status, "no live client belongs to the service '" + service + "'; " + listed(names) + anyway,
                      "service");
    }
    if (std::ranges::find(found->handlers, handler) == found->handlers.end())
        throw refused(status,
                      "no live client of the service '" + service + "' serves the handler '" + handler + "'; " +
                          listed(found->handlers) + anyway,
                      "handler");
}

} // namespace baton::web
