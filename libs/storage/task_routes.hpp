#pragma once

#include "libs/base/id.hpp"

#include <map>
#include <string>
#include <utility>

namespace baton::storage {

using task_at = std::pair<task_id, int>; // and its version

// What a version of a task demands of its client, beside the handler.
struct wanted_client {
    std::string tag{};
    std::string instance{};        // routing instance: the name or its beginning
    bool instance_is_there = true; // a live client of the service has such a name
    bool names_client = false;     // a single client must take it
};
using routes = std::map<task_at, wanted_client>;

} // namespace baton::storage
