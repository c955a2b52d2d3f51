#pragma once
// The executions that ended lately, so that a repeated delivery is recognised.

#include "libs/base/id.hpp"
#include "libs/base/time.hpp"
#include "libs/protocol/outcome.hpp"

#include <cstdint>
#include <deque>
#include <unordered_map>

namespace baton::client {

// Each is known until its result is recorded, however long that takes, and for `span` longer: nodes that do not know
// the end yet may deliver it again. Bounded in number: beyond `most` in `span` the oldest that are recorded are
// forgotten sooner. Its user bounds those that are not.
class memory {
public:
    struct ended {
        int attempt = 0;
        protocol::state status = protocol::state::succeeded;
        instant at;
        bool refused = false;    // not begun: to be refused up to this attempt
        bool given_back = false; // not begun: a later dispatch of the same attempt counts
        bool recorded = false;   // there is no result that a node must still record; `at` is since when

        // There is no result to record, and none will come.
        static ended not_begun(int attempt, instant now)
        {
            ended mark;
            mark.attempt = attempt;
            mark.status = protocol::state::cancelled;
            mark.at = now;
            mark.refused = true;
            mark.recorded = true;
            return mark;
        }

        // A dispatch of this attempt brings nothing new.
        bool settles(int of) const
        {
            return status == protocol::state::succeeded || of < attempt || (of == attempt && !given_back);
        }
    };

    memory(duration span, std::size_t most) : span_(span), most_(most) {}

    void remember(execution_id execution, ended what);
    void recorded(execution_id execution, int attempt, instant now);
    ended const* find(execution_id execution, instant now) const; // null when unknown or too old
    void forget(instant now);                                     // drops those that are too old
    std::size_t size() const { return ended_.size(); }

private:
    void drop_oldest();

    duration span_;
    std::size_t most_;
    std::unordered_map<execution_id, ended> ended_;
    std::deque<std::pair<instant, execution_id>> order_; // of those that are recorded
};

} // namespace baton::client
