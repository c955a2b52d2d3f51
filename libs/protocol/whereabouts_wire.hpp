#pragma once
// Web to the master's node: where open executions are, which only the master's memory has. Header
// "Authorization: Bearer <secret of the called node's incarnation>", as among nodes (node_wire.hpp).

#include "libs/base/id.hpp"
#include "libs/protocol/names.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace baton::protocol {

inline constexpr char path_whereabouts[] = "/internal/v1/whereabouts";
inline constexpr std::size_t most_whereabouts = 500; // executions in a request, so that no step of a loop grows

struct whereabouts_request {
    std::vector<execution_id> executions;
};

enum class place_kind {
    at_node,   // the node has it, and delivers it to a client
    at_client, // the client has taken it
    in_doubt,  // a client may have it from before, and is being asked
};
template <>
inline constexpr std::array<std::string_view, 3> names_of<place_kind>{"at_node", "at_client", "in_doubt"};

struct whereabouts {
    execution_id execution;
    place_kind kind = place_kind::at_node;
    std::string name; // of the node or client: its incarnation or instance
    execution_id
        running_there; // at_client, not known to have begun: another one that runs at the client; 0: none known
    bool operator==(whereabouts const&) const = default;
};

// Those that wait for a client with room, or that the master does not know, are left out.
struct whereabouts_answer {
    std::vector<whereabouts> executions;
};

void to_json(nlohmann::json& out, whereabouts_request const& in);
void from_json(nlohmann::json const& in, whereabouts_request& out);
void to_json(nlohmann::json& out, whereabouts const& in);
void from_json(nlohmann::json const& in, whereabouts& out);
void to_json(nlohmann::json& out, whereabouts_answer const& in);
void from_json(nlohmann::json const& in, whereabouts_answer& out);

} // namespace baton::protocol
