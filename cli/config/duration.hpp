#pragma once

#include "libs/base/time.hpp"

#include <string>
#include <string_view>

namespace baton::cli {

// A span as people write it: a whole number and a unit of us, ms, s, m, h or d, as in "300ms" or "2m". Throws
// invalid_input (field "") with the reason. A number without a unit is ambiguous, so it is refused.
duration parse_duration(std::string_view text);

// The shortest such text: 90s, not 90000ms.
std::string format_duration(duration span);

} // namespace baton::cli
