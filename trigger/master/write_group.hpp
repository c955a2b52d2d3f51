#pragma once
// Groups of what waits to be written, each for one transaction.

#include "libs/base/backoff.hpp"
#include "libs/storage/write_in_halves.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <string>
#include <utility>
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

// Items that were not written, because another transaction had locked their rows: they wait to be tried again.
template <class T>
class locked_items {
public:
    void add(T item, instant now)
    {
        until_ = now + again;
        items_.push_back(std::move(item));
    }
    // All of them, if they have waited for long enough.
    std::vector<T> take(instant now) { return now < until_ ? std::vector<T>() : std::exchange(items_, {}); }
    std::vector<T> const& items() const { return items_; }
    // When take() returns something; the end of time without any.
    instant next() const { return items_.empty() ? instant::max() : until_; }

private:
    static constexpr duration again = 200ms;

    std::vector<T> items_;
    instant until_{};
};

// Groups that the database refuses as a whole, in a loop that tries them again: pauses that grow, and one line of the
// log for each cause. Call begin() and end() around the groups of one turn.
class refused_groups {
public:
    void begin() { cause_.clear(); }
    // False if the group was refused as a whole.
    template <class T>
    bool accept(char const* area, storage::group_outcome<T> const& outcome)
    {
        if (outcome.all_refused())
            refuse(area, outcome.refused.front().why);
        return !outcome.all_refused();
    }
    void end();
    duration again() const { return again_; } // the pause before the next turn; 0: nothing was refused

private:
    void refuse(char const* area, std::string const& why);

    std::string cause_;
    std::string told_;
    backoff pauses_{{200ms, 30s, 1h}};
    duration again_{};
};

} // namespace baton::trigger
