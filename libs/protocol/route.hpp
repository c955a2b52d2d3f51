#pragma once
// Which clients of its service run a task, and in what shards. Part of the task's JSON document, beside `routing`.

#include "libs/protocol/json_text.hpp"
#include "libs/protocol/names.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace baton::protocol {

// How the client of an execution is chosen, among the live clients that serve the handler and have the route's tag.
enum class routing {
    round_robin,
    random,
    failover,        // the first by instance name; the next one only while it drains or cannot be reached
    broadcast,       // all of them, one shard each; or a number of shards, each by round robin
    first,           // the first by instance name; executions wait for it, even while it cannot be reached
    last,            // likewise the last
    consistent_hash, // by a key of the payload: the same key goes to the same client, as long as that is there
    least_loaded,    // the one with the most free slots
    skip_busy,       // the first by instance name that has a free slot; no execution waits in a client's queue
    instance,        // the one that is named
};
template <>
inline constexpr std::array<std::string_view, 10> names_of<routing>{
    "round_robin", "random",          "failover",     "broadcast", "first",
    "last",        "consistent_hash", "least_loaded", "skip_busy", "instance"};

// When a broadcast ends.
enum class broadcast_end {
    all, // with its last shard; it succeeds if all do
    any, // as succeeded with the first shard that succeeds, and its other shards are cancelled
};
template <>
inline constexpr std::array<std::string_view, 2> names_of<broadcast_end>{"all", "any"};

//   {"tag": "gpu"}
//   {"key": "/customer"}              for routing consistent_hash
//   {"instance": "build-7"}           for routing instance
//   {"shards": 16, "ends": "any"}     for routing broadcast
struct route_spec {
    std::string tag{}; // only clients with this tag; empty: all
    std::string key{}; // JSON pointer into the payload
    // The name of a client's instance, or its beginning up to a character that is neither a letter nor a digit: so
    // "build-7" is any client whose name begins with that host.
    std::string instance{};
    int shards = 0; // 0: one for each client
    broadcast_end ends = broadcast_end::all;

    friend bool operator==(route_spec const&, route_spec const&) = default;
};

inline constexpr int fewest_shards = 2; // a single one would be no shard
inline constexpr int most_shards = 1'000;

// Strict: throws invalid_input with the field ("route.key") for members that do not fit the routing, and for those that
// it lacks. `value` may be null.
route_spec parse_route(nlohmann::json const* value, routing how);
nlohmann::json to_json(route_spec const& route, routing how);

// Does the name of a client's instance equal `wanted`, or begin with it up to a character that is neither a letter nor
// a digit?
bool names_instance(std::string_view instance, std::string_view wanted);

// Throws invalid_input("payload") when the route has a key and the payload has nothing there.
void check_key(route_spec const& route, json_text const& payload);

// Of the value that the key names; the same for all payloads that have none there.
std::uint64_t key_hash(route_spec const& route, json_text const& payload);

} // namespace baton::protocol
