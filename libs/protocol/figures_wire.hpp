#pragma once
// Web to a node: a request for the figures of its clients, which only its memory has, and a hint that a client's row
// has changed. Header
// "Authorization: Bearer <secret of the called node's incarnation>", as among nodes (node_wire.hpp).

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace baton::protocol {

inline constexpr char path_figures[] = "/internal/v1/figures";
inline constexpr std::size_t most_figures = 500; // clients in a request, so that no step of the node's loop grows

// A person has changed the row of a client of the node, which reads it at once. Request and answer are an empty JSON
// object. A hint: the node finds the change itself within two seconds.
inline constexpr char path_look_again[] = "/internal/v1/look-again";

struct figures_request {
    std::vector<std::string> instances;
};

struct client_figures {
    std::string instance;
    std::int64_t heard_ms = 0;        // since its last heartbeat or registration
    std::int64_t answered_ms = -1;    // since it last answered a call of the node; -1: it has answered none yet
    int free_slots = 0;               // by the node's count
    int in_flight = 0;                // executions that the client has, and those on their way to it
    int waiting = 0;                  // executions that wait at the node for this client
    bool clock_told = false;          // the client tells its time
    std::int64_t clock_offset_ms = 0; // if so: its wall clock minus cluster time, as the node estimates both
    std::string refused_path = {};    // of its last message in a minute that the node refused for its form; empty: none
    std::string refused_why = {};     // at most 300 bytes
    std::int64_t refused_ms = 0;      // since then
};

// The clients of the node among those that were asked for. The others have another home, or are gone.
struct figures_answer {
    std::vector<client_figures> clients;
};

void to_json(nlohmann::json& out, figures_request const& in);
void from_json(nlohmann::json const& in, figures_request& out);
void to_json(nlohmann::json& out, client_figures const& in);
void from_json(nlohmann::json const& in, client_figures& out);
void to_json(nlohmann::json& out, figures_answer const& in);
void from_json(nlohmann::json const& in, figures_answer& out);

} // namespace baton::protocol
