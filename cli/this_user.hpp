#pragma once

#include <string>

namespace baton::cli {

// The user of this shell; empty if it does not tell.
std::string this_user();

} // namespace baton::cli
