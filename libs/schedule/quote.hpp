#pragma once

#include <string>
#include <string_view>

namespace baton::schedule {

// Somebody's input as it may stand in a message: in quotes, shortened, and with '?' for what is not printable ASCII, so
// that the message is always valid UTF-8.
std::string quote(std::string_view text);

} // namespace baton::schedule
