#pragma once

#include <cstdint>

namespace baton::storage {

// A number that was counted up to a bound.
struct bounded_count {
    std::int64_t count = 0;
    bool more = false; // there may be more than that
};

} // namespace baton::storage
