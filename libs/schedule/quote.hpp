#pragma once

#include <string>
#include <string_view>

namespace baton::schedule {

// User input for a message: in quotes, cut to 60 characters, with '?' for bytes that are not printable ASCII. So the
// message is always valid UTF-8.
std::string quote(std::string_view text);

} // namespace baton::schedule
