#include "libs/protocol/route.hpp"

#include "libs/base/characters.hpp"
#include "libs/base/error.hpp"
#include "libs/protocol/offers.hpp"
#include "libs/protocol/payload_key.hpp"
#include "libs/protocol/strict.hpp"

#include <algorithm>

namespace baton::protocol {

namespace {

constexpr std::size_t longest_instance = 128;

std::string read_instance(strict_object& object)
{
    auto name = object.text("instance", {}, longest_instance);
    if (!std::ranges::all_of(name, [](char c) { return c > 0x20 && c < 0x7f; }))
        throw invalid_input("route.instance", "route.instance must be printable ASCII without spaces, such as build-7");
    return name;
}

// A member that only one routing uses.
void expect_only_for(strict_object& object, char const* member, routing wanted, routing how)
{
    if (how != wanted && object.find(member) != nullptr)
        throw invalid_input(object.path_of(member), object.path_of(member) + " is only for routing " +
                                                        std::string(to_string(wanted)) + ": leave it out");
}

void expect_given(std::string const& text, char const* field, routing how, char const* example)
{
    if (text.empty())
        throw invalid_input(field, std::string(field) + " is required for routing " + std::string(to_string(how)) +
                                       ", such as " + example);
}

} // namespace

route_spec parse_route(nlohmann::json const* value, routing how)
{
    static nlohmann::json const nothing = nlohmann::json::object();
    strict_object object(value == nullptr ? nothing : *value, "route");
    route_spec route;
    route.tag = object.text("tag", {}, longest_tag);
    if (!route.tag.empty())
        check_tag(route.tag, "route.tag");
    expect_only_for(object, "key", routing::consistent_hash, how);
    expect_only_for(object, "instance", routing::instance, how);
    expect_only_for(object, "shards", routing::broadcast, how);
    expect_only_for(object, "ends", routing::broadcast, how);
    route.key = object.text("key", {}, longest_pointer);
    check_pointer(route.key, "route.key");
    route.instance = read_instance(object);
    route.shards = static_cast<int>(object.number("shards", 0, 0, most_shards));
    if (route.shards != 0 && route.shards < fewest_shards)
        throw invalid_input("route.shards", "route.shards must be from 2 to 1000, or 0 for one a client");
    route.ends = parse<broadcast_end>(object.text("ends", "all", 64), "route.ends");
    object.finish();
    if (how == routing::consistent_hash)
        expect_given(route.key, "route.key", how, "/customer");
    if (how == routing::instance)
        expect_given(route.instance, "route.instance", how, "build-7");
    return route;
}

nlohmann::json to_json(route_spec const& route, routing how)
{
    nlohmann::json value{{"tag", route.tag}};
    if (how == routing::consistent_hash)
        value["key"] = route.key;
    if (how == routing::instance)
        value["instance"] = route.instance;
    if (how == routing::broadcast) {
        value["shards"] = route.shards;
        value["ends"] = to_string(route.ends);
    }
    return value;
}

bool names_instance(std::string_view instance, std::string_view wanted)
{
    auto const in_word = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    };
    return instance.starts_with(wanted) && (instance.size() == wanted.size() || !in_word(instance[wanted.size()]));
}

void check_key(route_spec const& route, json_text const& payload)
{
    if (!route.key.empty() && !value_at(route.key, payload))
        throw invalid_input("payload",
                            "payload has nothing at " + in_quotes(route.key) + ", which is the route.key of the task");
}

std::uint64_t key_hash(route_spec const& route, json_text const& payload)
{
    return stable_hash(value_at(route.key, payload).value_or(""));
}

} // namespace baton::protocol
