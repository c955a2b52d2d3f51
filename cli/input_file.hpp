#pragma once

#include <string>

namespace baton::cli {

// The text of a file that the caller names; a pipe such as /dev/stdin is one, too. Throws config_error with the path if
// it cannot be read, or has more than 64 MiB: a device such as /dev/zero has no end.
std::string read_input_file(std::string const& path);

} // namespace baton::cli
