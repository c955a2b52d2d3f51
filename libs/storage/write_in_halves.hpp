#pragma once

#include "libs/storage/database.hpp"

#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace baton::storage {

// An item that the database refuses when it is written alone.
template <class T>
struct refused_item {
    T item;
    std::string why;
};

template <class T>
struct group_outcome {
    bool any_written = false;
    std::vector<refused_item<T>> refused{};

    // Perhaps the fault is that of the database and not of their data.
    bool all_refused() const { return !any_written && !refused.empty(); }
};

// Writes a group by `write`, which is one transaction. If the database refuses its data, the halves are written, and so
// on, until each item that is refused stands alone. Other exceptions of `write` pass through. `all` must outlive this.
template <class T, class Write>
awaitable<group_outcome<T>> write_in_halves(std::vector<T> const& all, Write write)
{
    group_outcome<T> out;
    std::deque<std::vector<T>> left;
    std::vector<T> half;
    for (auto const* some = &all;;) {
        std::string why;
        bool refused = false;
        try {
            co_await write(*some);
            out.any_written = true;
        } catch (rejected_data const& failure) {
            why = failure.why();
            refused = true;
        }
        if (refused && some->size() == 1) {
            out.refused.push_back({some->front(), std::move(why)});
        } else if (refused) {
            auto const middle = some->begin() + static_cast<std::ptrdiff_t>(some->size() / 2);
            left.emplace_front(middle, some->end());
            left.emplace_front(some->begin(), middle);
        }
        if (left.empty())
            break;
        half = std::move(left.front());
        left.pop_front();
        some = &half;
    }
    co_return out;
}

} // namespace baton::storage
