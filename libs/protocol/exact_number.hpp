#pragma once
// Numbers of a payload that would not reach the handler as they are written.

#include <string_view>

namespace baton::protocol {

// How the payload's parser keeps a number. `text` is a number of JSON that has become a double.
enum class kept_number {
    exact,   // with all its digits
    integer, // an integer beyond 64 bits
    rounded, // with more digits than a double has
};
kept_number kept_as_double(std::string_view text, double value);

} // namespace baton::protocol
