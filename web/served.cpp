#include "web/served.hpp"

#include "web/refusal.hpp"

#include <algorithm>

namespace baton::web {

namespace {

constexpr std::size_t longest_list = storage::clients::most_others - 1;

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

// Services of other projects are not for this one to know.
void require_served(storage::clients::served_handlers const& live, std::string const& handler, int status)
{
    auto const& [service, handlers, instances, others] = live;
    if (instances == 0)
        throw refused(status,
                      "no live client belongs to the service '" + to_text(service) + "'; " +
                          listed(others, service.project) + anyway,
                      "service");
    if (std::ranges::find(handlers, handler) == handlers.end())
        throw refused(status,
                      "no live client of the service '" + to_text(service) + "' serves the handler '" + handler +
                          "'; " + listed(handlers, service.project) + anyway,
                      "handler");
}

} // namespace baton::web
