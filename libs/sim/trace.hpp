#pragma once
// The record of a simulation.

#include "libs/base/hash.hpp"
#include "libs/base/time.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace baton::sim {

// The events of a simulation, in order. Two runs with the same hash did the same things at the same instants, which
// shows that a seed replays. A failing test prints the last lines.
class trace {
public:
    explicit trace(time_source const& time) : time_(time) {}

    void note(std::string_view event);

    std::uint64_t hash() const { return hash_.value(); }
    std::uint64_t count() const { return count_; }
    std::string tail() const; // the last lines, each with the simulated second

private:
    time_source const& time_;
    fnv1a_64 hash_;
    std::uint64_t count_ = 0;
    std::deque<std::string> last_;
};

} // namespace baton::sim
