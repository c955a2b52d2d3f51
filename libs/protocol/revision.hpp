#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace baton::protocol {

// Which messages this build sends and understands, between nodes and between nodes and clients. It rises with every
// change that a build of the revision before would misread. Before release 0.2 a node accepts its own revision only.
inline constexpr int wire_revision = 6;

// Carries the revision of the sender in each message to a node's internal endpoints.
inline constexpr char revision_header[] = "Baton-Revision";

// Why the messages of a build with this revision are refused; nothing if they are not. `who` sends them: "the client".
std::optional<std::string> revision_error(std::string_view who, int theirs);

} // namespace baton::protocol
