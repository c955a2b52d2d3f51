#pragma once

#include <string>

namespace baton::trigger {

// Whether a node can report to the master, as its row tells the other nodes.
enum class contact {
    steady,
    cut_off,  // a master lives, and takes no reports of the node
    returning // it takes them again, since a short time
};

// The member of node_record::health that tells it. A node that is steady has no such member.
inline constexpr char health_contact[] = "contact";

// For that member.
char const* to_string(contact state);
// As the health of a node tells it. Pure.
contact contact_in(std::string const& health);

} // namespace baton::trigger
