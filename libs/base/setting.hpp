#pragma once
// Checks on configuration. The error names the key, the rule and so the remedy.

#include "libs/base/error.hpp"

namespace baton {

// Throws invalid_input about `key` ("election.tick") unless `holds`; `rule` continues the key: "must be at least 50ms".
inline void require_setting(bool holds, char const* key, char const* rule)
{
    if (!holds)
        throw invalid_input(key, std::string(key) + " " + rule);
}

} // namespace baton
