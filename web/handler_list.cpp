#include "web/handler_list.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace baton::web {

namespace {

struct shown_handler {
    std::int64_t clients = 0;
    nlohmann::json schema;
    nlohmann::json description;
    std::vector<nlohmann::json> schemas; // that differ
};

void add(shown_handler& to, protocol::handler_schema const& one)
{
    if (to.description.is_null() && !one.description.empty())
        to.description = one.description;
    if (one.schema.is_null())
        return;
    auto schema = one.schema.parse();
    if (to.schema.is_null())
        to.schema = schema;
    // Two SDKs may write one schema in different ways, so values are compared and not texts.
    if (std::find(to.schemas.begin(), to.schemas.end(), schema) == to.schemas.end())
        to.schemas.push_back(std::move(schema));
}

} // namespace

nlohmann::json show_handlers(storage::handler_schemas::announced const& found)
{
    std::map<std::string, shown_handler> handlers;
    auto groups = found.groups;
    std::stable_sort(groups.begin(), groups.end(),
                     [](auto const& a, auto const& b) { return a.joined_at > b.joined_at; });
    for (auto const& group : groups) {
        for (auto const& name : group.handlers)
            handlers[name].clients += group.clients;
        auto const announced = found.documents.find(group.schema_set);
        if (announced == found.documents.end())
            continue;
        for (auto const& one : announced->second)
            if (auto const known = handlers.find(one.handler); known != handlers.end())
                add(known->second, one);
    }
    auto items = nlohmann::json::array();
    for (auto& [name, one] : handlers)
        items.push_back({{"handler", name},
                         {"clients", one.clients},
                         {"schema", std::move(one.schema)},
                         {"description", std::move(one.description)},
                         {"schemas", one.schemas.size()}});
    return {{"items", std::move(items)}};
}

} // namespace baton::web
