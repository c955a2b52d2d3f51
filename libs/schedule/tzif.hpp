#pragma once
// Compiled zone files (RFC 8536), as zic writes them.

#include "libs/schedule/zone_rules.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace baton::schedule {

// Empty if the content is not that of a zone file, or counts leap seconds (the folder "right").
std::optional<zone_rules> parse_tzif(std::string name, std::string_view content);

} // namespace baton::schedule
