#pragma once

#include "libs/base/time.hpp"
#include "libs/lease/guard_store.hpp"
#include "libs/lease/lease_store.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace baton::trigger {

// What one tick of the election comes to.
enum class verdict {
    promoted, // this node is master now
    stay,     // it was, and remains so
    leave,    // it was, and is not any more
    unknown,  // it is not: somebody else is, or nobody, or the row could not be read
};
std::string_view to_string(verdict which);

// The statement that a tick sends.
enum class move {
    none,
    seize,
    renew,
    confirm, // a renewal of a lease that is ours by the row, though the answer to the seizure was lost
};

// What this node has itself seen of the row: the same (epoch, renew_seq) since `since`, read after a reply.
struct observation {
    std::int64_t epoch = 0;
    std::int64_t renew_seq = 0;
    instant since{};
};

// Two clocks that both keep CLOCK_BOOTTIME may differ by this rate (NTP slews by 5e-4, crystals by 2e-4).
// ttl * (1 + rate), rounded up.
constexpr duration stretched(duration span)
{
    return span + span / 1'000 + duration{1};
}
constexpr duration shrunk(duration span)
{
    return span - span / 1'000 - duration{1};
}

// Keeps `seen` when the row shows what it showed before, else starts anew at `now` (taken after the reply).
observation observe(observation const& seen, lease::lease_row const& row, instant now);

// When this node itself has watched an unrenewed row for the holder's whole ttl.
instant watched_enough(observation const& seen, lease::lease_row const& row);

struct decision {
    move act = move::none;
    verdict if_matched = verdict::unknown; // when the statement matched the row (or there is no statement)
    verdict if_refused = verdict::unknown; // when it matched nothing
    std::int64_t epoch = 0;                // that the statement is about
    char const* reason = "";
};

// The election in one pure function. `held` is the epoch that this node holds, 0 for none; `seen` includes this row.
// `ended` is the highest epoch whose term is over for this node: such a term never comes back, even if the row still
// names this node and a step of the database's clock makes it look alive (a release may be on its way to the row).
decision decide(lease::lease_row const& row, std::string const& self, std::int64_t held, observation const& seen,
                instant now, std::int64_t ended = 0);

// What a slave does that was granted the guard's lock.
enum class handover {
    vacant, // the lease is free, or ours: the election decides
    wait,   // the holder may still believe in its guard
    seize,
    let_go, // the holder is not guarded here: the lock is in its way
};
struct handover_decision {
    handover act = handover::let_go;
    instant ripe{}; // when the holder, whose session ended before `granted`, believes no more
};

// `granted`: this node's clock after the reply that granted the lock. Who armed the row wrote how long it may believe
// after its last ping was sent, and that was before its session ended. `proves_end`: the grant says that already.
handover_decision decide_handover(lease::guard_store::guarded_row const& seen, std::string const& self, instant granted,
                                  instant now, bool proves_end);

} // namespace baton::trigger
