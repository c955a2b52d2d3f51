#pragma once

#include "libs/base/time.hpp"
#include "libs/lease/lease_store.hpp"

#include <string>
#include <string_view>

namespace baton::trigger {

// How a term was won, and the end of the term before it.
struct succession {
    enum class way { free, expired, guard } how = way::free;
    instant led_until{};    // the last sign of life of the former holder, by this node's clock; instant{}: unknown
    bool first = false;     // no node had led before
    std::string replaced{}; // the incarnation that did not give the lease back; empty: none, or unknown
};
std::string_view to_string(succession::way how);

// Of a seizure of this row, which was read at that time.
succession succession_to(lease::lease_row const& row, instant read_at);

// Of a term of this node that it finds in the row without having noted how it seized it.
succession succession_of_term_found(lease::lease_row const& row);

} // namespace baton::trigger
