#pragma once

#include "libs/storage/database.hpp"

#include <string>

namespace baton::storage {

// The secret that all nodes of this database share, kept for as long as the database: `offered` if there was none
// until now. Throws unavailable.
awaitable<std::string> cluster_secret(database& shared, std::string offered);

} // namespace baton::storage
