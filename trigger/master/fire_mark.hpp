#pragma once

#include "libs/base/loop.hpp"
#include "trigger/master/term_scope.hpp"

#include <algorithm>
#include <optional>

namespace baton::trigger {

// The mark to write now, if one is needed: a firing is due within half of `ahead`, and the mark does not reach beyond
// that.
std::optional<utc_time> next_mark(utc_time now, utc_time mark, std::optional<utc_time> next_due, duration ahead = 1s);

// The instant up to which this term may fire. It is in the database before anything due by then is fired, a second
// ahead of time, and never falls. A successor whose clock is behind, because the database's clock has stepped back,
// thereby knows which executions may have been fired, and asks the clients before it fires them. Executions that are
// due from their creation need no mark, because a successor asks about all of them above the watermark (take_over).
//
// An edit draws its line behind the mark, for the same clock. So the mark is further ahead of a firing than the
// readings of the signals allow to fire: an edit that is announced after the last reading finds the mark of all that
// this term may still fire. Part of a term.
class fire_mark {
public:
    fire_mark(term_scope const& scope, duration edit_lead);

    awaitable<void> read(); // the marks of earlier terms
    utc_time limit() const { return limit_; }
    void wake() { bell_.wake(); } // something is due that the mark does not cover
    // The mark must reach this time although cluster time stands still.
    void reach(utc_time at)
    {
        wanted_ = std::max(wanted_, at);
        bell_.wake();
    }

    awaitable<void> run();

private:
    term_scope scope_;
    duration ahead_;
    waker bell_;
    utc_time limit_{};
    utc_time wanted_{};
};

} // namespace baton::trigger
