#pragma once

#include "libs/base/process.hpp"

#include <functional>
#include <string>

namespace baton::test {

struct process_end {
    int status = -1;  // -1: by a signal
    std::string said; // on its output, where its log goes
};

// How a process ends, and what it says, that does this and then waits for ever, with two last resorts.
process_end end_after(std::function<void(deadman& one, deadman& other)> const& what);

} // namespace baton::test
