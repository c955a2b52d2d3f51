#pragma once
// Groups of what waits to be written, each for one transaction.

#include <algorithm>
#include <cstddef>
#include <deque>
#include <vector>

namespace baton::trigger {

inline constexpr std::size_t most_in_a_group = 500;

// The first of what waits. They stay until the transaction is over: drop() them then.
template <class T>
std::vector<T> front(std::deque<T> const& from, std::size_t most = most_in_a_group)
{
    return {from.begin(), from.begin() + static_cast<std::ptrdiff_t>(std::min(from.size(), most))};
}

template <class T>
void drop(std::deque<T>& from, std::size_t count)
{
    from.erase(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(count));
}

} // namespace baton::trigger
