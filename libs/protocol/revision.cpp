#include "libs/protocol/revision.hpp"

namespace baton::protocol {

std::optional<std::string> revision_error(std::string_view who, int theirs)
{
    if (theirs == wire_revision)
        return std::nullopt;
    return std::string(who) + " speaks revision " + std::to_string(theirs) +
           " of the protocol and this node speaks revision " + std::to_string(wire_revision) +
           ": use the same release of baton for both";
}

} // namespace baton::protocol
