#pragma once

#include "libs/protocol/names.hpp"

#include <array>
#include <optional>
#include <string_view>

namespace baton::web {

// Why the home node of a client did not do what web asked of it.
enum class node_failure {
    node_unknown,   // no node has this incarnation
    node_gone,      // it counts as gone
    no_answer,      // it cannot be called, or did not answer in time
    refused,        // it answered with an error, or with something else than an answer
    client_unknown, // it is not the home of the client any more
    older_release,  // it does not know the request
};

// What an answer of this status means; nothing for 200.
inline std::optional<node_failure> failure_of(int status)
{
    if (status == 200)
        return std::nullopt;
    return status == 404 ? node_failure::older_release : node_failure::refused;
}

} // namespace baton::web

namespace baton::protocol {

template <>
inline constexpr std::array<std::string_view, 6> names_of<web::node_failure>{
    "node_unknown", "node_gone", "no_answer", "refused", "client_unknown", "older_release"};

} // namespace baton::protocol
