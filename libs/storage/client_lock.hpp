#pragma once

#include "libs/storage/clients.hpp"

#include <string>
#include <vector>

namespace soci {
class session;
}

namespace baton::storage {

// For the transactions of `clients`: locks the rows of those clients that `node` hears under the same registration and
// that are not gone, in order of instance, so that two transactions cannot deadlock. Returns their instances.
std::vector<std::string> lock_registered(soci::session& sql, std::string const& node,
                                         std::vector<registered_client> const& wanted);

void mark_gone(soci::session& sql, std::vector<std::string> const& instances);

} // namespace baton::storage
