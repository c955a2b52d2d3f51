#pragma once

#include "libs/base/loop.hpp"
#include "trigger/master/term_scope.hpp"

#include <map>
#include <optional>
#include <set>
#include <utility>

namespace baton::trigger {

// Which suspect of a service is next. A suspect is an execution that fails if its client dies once more
// (open_execution::suspect). Suspects of one service go out one at a time, so that the one that kills its client is not
// charged to the others. The next one follows when the last one has ended or has run for a minute. On the loop only.
class suspect_turns {
public:
    explicit suspect_turns(open_set& open) : open_(open) {}

    // Takes the execution out of the queue of due times until its turn has come.
    void join(open_execution& one);

    // Puts the suspects whose turn has come into the queue of due times. True if there are any.
    bool advance(instant at);

    bool empty() const { return lines_.empty(); }

private:
    struct line {
        std::set<std::pair<instant, execution_id>> waiting; // by the end of their pauses
        std::optional<execution_id> out;
        instant out_since{};
    };
    bool is_over(line const& service, instant at) const;
    bool release(line& service, instant at);

    open_set& open_;
    protocol::service_map<line> lines_;
};

// Lets suspects go out in turn. Part of a term.
class suspect_line {
public:
    explicit suspect_line(term_scope const& scope) : scope_(scope), turns_(scope.open), bell_(scope.loop) {}

    void join(open_execution& one);
    awaitable<void> run();

private:
    term_scope scope_;
    suspect_turns turns_;
    waker bell_;
};

} // namespace baton::trigger
