#pragma once

#include <compare>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

namespace baton::protocol {

inline constexpr std::string_view default_project = "default";

// The name of a service without a copy of its text, for look-ups.
struct service_view {
    std::string_view project;
    std::string_view service;
    friend auto operator<=>(service_view const&, service_view const&) = default;
};

// A service belongs to a project: two projects may use the same name for different services. Everything that belongs to
// a service has this key.
struct service_key {
    std::string project;
    std::string service;
    friend auto operator<=>(service_key const&, service_key const&) = default;
    operator service_view() const { return {project, service}; }
};

inline service_key key_of(service_view name)
{
    return {std::string(name.project), std::string(name.service)};
}

// Of a task, a client or a message. Valid as long as it is.
template <class Part>
service_view service_of(Part const& part)
{
    return {part.project, part.service};
}

// For logs and errors: "service", or "project/service" if the project is not the default. Names have no slashes.
inline std::string to_text(service_view name)
{
    return name.project == default_project ? std::string(name.service)
                                           : std::string(name.project) + '/' + std::string(name.service);
}

// Containers with this key that are searched by a service_view.
struct service_order {
    using is_transparent = void;
    bool operator()(service_view one, service_view other) const { return one < other; }
};
struct service_equal {
    using is_transparent = void;
    bool operator()(service_view one, service_view other) const { return one == other; }
};
struct service_hash {
    using is_transparent = void;
    std::size_t operator()(service_view name) const
    {
        std::hash<std::string_view> const hash;
        return hash(name.service) + 31 * hash(name.project);
    }
};
using service_set = std::set<service_key, service_order>;
template <class Value>
using service_map = std::map<service_key, Value, service_order>;
template <class Value>
using service_table = std::unordered_map<service_key, Value, service_hash, service_equal>;

// The value of the service, new if there is none. Copies the name only then.
template <class Map>
typename Map::mapped_type& value_of(Map& all, service_view name)
{
    auto found = all.find(name);
    if (found == all.end())
        found = all.try_emplace(key_of(name)).first;
    return found->second;
}

} // namespace baton::protocol
