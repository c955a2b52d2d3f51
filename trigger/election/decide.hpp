#pragma once

#include "libs/base/time.hpp"
#include "libs/lease/guard_store.hpp"
#include "libs/lease/lease_store.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace baton::trigger {

// The outcome of one tick of the election.
enum class verdict {
    promoted, // this node has become the master
    stay,     // it remains the master
    leave,    // it is the master no more
    unknown,  // it is not the master; another node may be, or the row could not be read
};
std::string_view to_string(verdict which);

// The statement that a tick sends.
enum class move {
    none,
    seize,
    renew,
    confirm, // renews a lease that the row shows as ours, after the answer to the seizure was lost
};

// This node has seen the row with the same (epoch, renew_seq) since `since`, a time after the reply.
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

// Keeps `seen` if the row has the same (epoch, renew_seq), else starts anew at `now`, a time after the reply.
observation observe(observation const& seen, lease::lease_row const& row, instant now);

// The instant at which this node will have seen the row unrenewed for the holder's whole ttl.
instant watched_enough(observation const& seen, lease::lease_row const& row);

struct decision {
    move act = move::none;
    verdict if_matched = verdict::unknown; // if the statement matched the row, or there is no statement
    verdict if_refused = verdict::unknown; // if it matched no row
    std::int64_t epoch = 0;                // that the statement is about
    char const* reason = "";
};

// The decision of the election, as a pure function. `held` is the epoch that this node holds, or 0; `seen` includes
// this row. `ended` is the highest epoch of a term that is over for this node. Such a term never comes back, even if
// the row still names this node and a step of the database's clock makes the lease look alive: a release may be on its
// way.
decision decide(lease::lease_row const& row, std::string const& self, std::int64_t held, observation const& seen,
                instant now, std::int64_t ended = 0);

// The reason, for people, why the statement of `act` matched no row, as far as the row that was read before it tells.
char const* why_refused(move act, lease::lease_row const& read);

// The action of a slave that was granted the guard's lock.
enum class handover {
    vacant, // leave it to the election: the lease is free or ours
    wait,   // the holder may still trust its guard
    seize,
    release, // release the lock: the holder is not guarded here and needs the lock
};
struct handover_decision {
    handover act = handover::release;
    instant ripe{}; // from then on the holder does not trust its guard any more
};

// `granted`: this node's clock after the reply that granted the lock. The holder wrote into the row for how long it
// trusts its guard after it sent its last ping, which was before its session ended, and so before `granted`.
// `proves_end`: the grant itself proves that the holder's process has ended.
handover_decision decide_handover(lease::guard_store::guarded_row const& seen, std::string const& self, instant granted,
                                  instant now, bool proves_end);

} // namespace baton::trigger
