#include "cli/route_options.hpp"

#include "libs/protocol/route.hpp"

namespace baton::cli {

namespace {

template <class Enum>
std::vector<std::string> names()
{
    auto const& all = protocol::names_of<Enum>;
    return {all.begin(), all.end()};
}

// An option that only one routing uses.
void expect_routing(bool given, char const* option, char const* wanted, route_options const& chosen)
{
    if (given && chosen.routing != wanted)
        throw CLI::ValidationError(option, std::string("needs --routing ") + wanted);
}

} // namespace

void add_route_options(CLI::App& command, route_options& into)
{
    command
        .add_option("--routing", into.routing,
                    "Which clients run it: round_robin: they take turns (default); random: one drawn at random; "
                    "least_loaded: the one with the most free slots; skip_busy: the first by name with a free slot; "
                    "first, last: always the first or last by name; failover: the first by name, the next only while "
                    "it cannot; consistent_hash: the same client for the same --route-key; instance: the one of "
                    "--instance; broadcast: each, a shard of its own")
        ->check(CLI::IsMember(names<protocol::routing>()));
    command.add_option("--tag", into.tag, "Only clients with this tag, such as gpu");
    command.add_option("--route-key", into.key,
                       "JSON pointer into the payload, such as /customer, for --routing consistent_hash");
    command.add_option("--instance", into.instance,
                       "Name of the client's instance, or its beginning, such as its host, for --routing instance");
    command
        .add_option("--shards", into.shards, "Number of shards of --routing broadcast; without it one for each client")
        ->check(CLI::Range(protocol::fewest_shards, protocol::most_shards));
    command
        .add_option("--ends", into.ends,
                    "When a broadcast ends: all: with its last shard (default); any: with the first shard that "
                    "succeeds, and the others are cancelled")
        ->check(CLI::IsMember(names<protocol::broadcast_end>()));
}

void write_route(nlohmann::json& task, route_options const& chosen)
{
    expect_routing(!chosen.key.empty(), "--route-key", "consistent_hash", chosen);
    expect_routing(!chosen.instance.empty(), "--instance", "instance", chosen);
    expect_routing(chosen.shards != 0, "--shards", "broadcast", chosen);
    expect_routing(!chosen.ends.empty(), "--ends", "broadcast", chosen);
    nlohmann::json route;
    if (!chosen.tag.empty())
        route["tag"] = chosen.tag;
    if (!chosen.key.empty())
        route["key"] = chosen.key;
    if (!chosen.instance.empty())
        route["instance"] = chosen.instance;
    if (chosen.shards != 0)
        route["shards"] = chosen.shards;
    if (!chosen.ends.empty())
        route["ends"] = chosen.ends;
    if (!chosen.routing.empty())
        task["routing"] = chosen.routing;
    if (!route.is_null())
        task["route"] = std::move(route);
}

} // namespace baton::cli
