#pragma once

#include <string>

namespace baton::cli {

// The user of this shell, or of this process; empty if neither tells.
std::string this_user();

} // namespace baton::cli
