#pragma once
// The terminal, file or pipe that standard output is connected to.

#include <cstddef>
#include <iosfwd>
#include <optional>

namespace baton::cli {

struct terminal {
    std::optional<std::size_t> width; // in columns; empty for a pipe or a file
    bool colour = false;
};

// The terminal of standard output, if `out` is std::cout and that is one. Colour needs a terminal that is not "dumb",
// and NO_COLOR unset or empty. COLUMNS is used if the terminal does not tell its width.
terminal terminal_of(std::ostream const& out);

} // namespace baton::cli
