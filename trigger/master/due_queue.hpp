#pragma once

#include "libs/base/id.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace baton::trigger {

// Executions by their due time: a timer wheel of any size, with one bucket a millisecond. Each service has a line of
// its own, and what is due of several services is taken in turns, so that a herd of one delays no other. What is caught
// up, after an outage or a pause, is taken at a bounded rate and behind what falls due now. Cancelling is lazy: the
// caller checks whether an id that it takes is still valid.
class due_queue {
public:
    static constexpr std::size_t quantum = 100; // executions of a line in its turn
    // An execution that is due for longer is caught up: the default of the misfire policies' threshold.
    static constexpr duration caught_up_after = 60s;
    // A line gives at most so many of these in a span, 1,000 a second, or a hundredth of what it has: what waits fills
    // the bound of its service (quota.hpp), so a large number of it must not take long.
    static constexpr std::size_t caught_up_in_span = 100;
    static constexpr std::size_t caught_up_share = 100;
    static constexpr duration span = 100ms;

    // What waits of one service. It must stay where it is for as long as the queue lives.
    class line {
        friend class due_queue;
        struct bucket {
            std::vector<execution_id> ids;
            std::size_t taken = 0; // from its front
        };

        std::map<std::int64_t, bucket> buckets_;
        std::size_t size_ = 0;
        std::int64_t span_begin_ = 0;       // in milliseconds
        std::size_t left_in_span_ = 0;      // of what is caught up
        std::uint64_t number_ = 0;          // by which lines of the same instant are ordered; 0: it is new
        std::optional<std::int64_t> place_; // in `order_`
        bool has_turn_ = false;             // it is in `turns_`
    };

    // With `utc_time{}` it is due at once, and not caught up.
    void put(line& in, utc_time due, execution_id id);

    // When something is due. Not later than the earliest, but perhaps no more precise than "now" if something is due.
    std::optional<utc_time> next() const;

    // Removes up to `most` ids that are due at `now`, those of a line in order of time, except that what is caught up
    // comes last.
    std::vector<execution_id> take(utc_time now, std::size_t most);

private:
    struct taking;

    void give_turns(std::int64_t until, std::size_t most);
    void order(line& which, std::int64_t at); // its turn comes then

    std::map<std::pair<std::int64_t, std::uint64_t>, line*> order_; // those without a turn
    std::deque<line*> turns_;                                       // those with something that is due
    std::uint64_t lines_ = 0;
};

} // namespace baton::trigger
