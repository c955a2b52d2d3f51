#pragma once
// The decision about a request to skip the next firings of a task, or to take such skips back. Pure.

#include "libs/protocol/task.hpp"

#include <optional>
#include <string>
#include <vector>

namespace baton::schedule {

struct skip_request {
    int count = 1;                      // of firings, 1 to protocol::most_skips
    std::optional<utc_time> expected{}; // the first of them must be this one
    std::string by{};                   // a person or a program; may be empty
    std::string reason{};
};

struct skip_ruling {
    std::vector<protocol::firing_skip> skips; // of the task from now on
    std::vector<utc_time> firings;            // that the request names, in order
    bool changed = false;                     // false: all of them were skipped before
    std::string refusal;                      // why nothing is changed; empty: it is granted
};

// `line`: firings before it may have been sent. With `expected`, the request names the firings from that one on,
// whether they are skipped or not, so that a repetition changes nothing; without, it names the next ones that are not
// skipped. `asked_at`: the present.
skip_ruling skip_next(protocol::task_definition const& task, utc_time created_at, skip_request const& request,
                      utc_time line, utc_time asked_at);

// Takes back all skips from the line on, or that of one firing.
skip_ruling undo_skips(protocol::task_definition const& task, utc_time created_at, std::optional<utc_time> firing,
                       utc_time line);

// Those skips of the task from `from` on whose firings its schedule still has.
std::vector<protocol::firing_skip> skips_from(protocol::schedule_spec const& schedule, utc_time created_at,
                                              utc_time from);

} // namespace baton::schedule
