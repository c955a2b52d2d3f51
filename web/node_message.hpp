#pragma once

#include "libs/http/message.hpp"
#include "libs/protocol/revision.hpp"

#include <string>
#include <utility>

namespace baton::web {

// The message with the headers that a node's internal endpoints demand. `secret`: of the called node's row; it must be
// sent to the address in that row only.
inline http::request message_to_node(http::request message, std::string const& secret)
{
    message.headers.set("Authorization", "Bearer " + secret);
    message.headers.set(protocol::revision_header, std::to_string(protocol::wire_revision));
    return message;
}

} // namespace baton::web
