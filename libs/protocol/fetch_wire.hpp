#pragma once
// Messages of a client that cannot be called and fetches the calls of its home instead (docs/protocol.md, "Fetching"):
// all calls, or, while its home cannot reach its address, the questions and cancels.

#include "libs/protocol/client_wire.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace baton::protocol {

inline constexpr char path_fetch[] = "/client/v1/fetch";

// The text of a whole message inside another one. It is passed on as it is.
struct message_text {
    std::string text = "{}";
    bool operator==(message_text const&) const = default;
};

// A call of the home to a client that fetches: what it would have posted to the client's address.
struct fetched_call {
    std::int64_t call = 0; // its number at this node
    std::string path;      // path_probe, path_dispatch, path_cancel or path_query
    message_text body;
};

struct call_answer {
    std::int64_t call = 0;
    int status = 200;
    message_text body;
};

// To the home node, which holds the request until it has calls for the client, for at most `fetch_hold`; it answers a
// client with an address at once. A request says nothing about the client's life: that needs heartbeats.
inline constexpr duration fetch_hold = 25s;

struct fetch_request {
    std::string instance;
    std::string secret;
    std::int64_t generation = 0; // of the registration that the home took, with its ticket
    std::string ticket;
    std::int64_t poll = 0; // rises with each request of the instance; the home ends all but the highest
    // The answers to the calls of envelope `number` of `node`. Repeated until a request that carried them is answered.
    std::string node;
    std::int64_t number = 0; // 0: none
    std::vector<call_answer> answers;
};

// An envelope of calls. The home repeats it byte for byte until its answers have come. Without calls (`number` is 0):
// fetch again; a client with an address does so when it is told to.
struct fetch_answer {
    std::string node; // incarnation
    std::int64_t number = 0;
    std::vector<fetched_call> calls;
};

void to_json(nlohmann::json& out, message_text const& in);
void from_json(nlohmann::json const& in, message_text& out);
void to_json(nlohmann::json& out, fetched_call const& in);
void from_json(nlohmann::json const& in, fetched_call& out);
void to_json(nlohmann::json& out, call_answer const& in);
void from_json(nlohmann::json const& in, call_answer& out);
void to_json(nlohmann::json& out, fetch_request const& in);
void from_json(nlohmann::json const& in, fetch_request& out);
void to_json(nlohmann::json& out, fetch_answer const& in);
void from_json(nlohmann::json const& in, fetch_answer& out);

std::string to_text(fetch_request const& message);
void from_text(std::string_view text, fetch_request& message);
std::string to_text(fetch_answer const& message);
void from_text(std::string_view text, fetch_answer& message);

} // namespace baton::protocol
