#pragma once

#include "libs/protocol/node_wire.hpp"
#include "trigger/clients/client_calls.hpp"
#include "trigger/delivery/known_attempts.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace baton::trigger {

// The decisions of the dispatcher: what to do with an assignment that comes in, and what becomes of a delivery by the
// answer of its client. All are pure.

enum class assignment_step {
    take,   // it is new here, or a later attempt than the known one
    resume, // it was dropped or returned: it goes out again, only to the client that may have it, if there is one
    note,   // it waits already: only the number of the assignment is new
    tell,   // a client has it, and the master does not know
    ignore  // the master has been told of its end, or will be
};
// `known`: what this node knows of the execution; null if nothing.
assignment_step step_for(known_attempt const* known, int attempt, std::int64_t number);

// The next step for a group whose request has ended.
enum class group_end {
    nothing,   // a new master asks the clients
    let_go,    // other nodes may have counted this one as gone: only what the client took counts
    settle,    // by the answer for each execution
    too_large, // the client refused the size and took nothing
    unanswered // it may have arrived
};
// `same_term`: no new epoch since it was sent. `vouched`: the node's membership is valid and has not lapsed since.
group_end end_of(client_calls::dispatch_outcome const& outcome, bool same_term, bool vouched);

// The meaning of a client's answer for one execution.
struct ack_meaning {
    enum class end {
        delivered,  // the client has it, or an earlier attempt of it
        impossible, // no client will ever take it
        elsewhere   // the client certainly does not have it: it goes to another one
    };
    end what = end::delivered;
    int earlier = 0;              // delivered: this attempt runs there, and not the one that was sent
    bool occupies = false;        // delivered: it takes a slot or a place of the client
    std::optional<duration> full; // the client has no room for so long
    bool drains = false;          // the client takes no more work
    bool lacks_handler = false;   // the client does not serve the handler any more
};
// `sent`: the attempt. `retry_pause`: how long a client that says "busy" counts as full.
ack_meaning meaning_of(protocol::dispatch_ack const& ack, int sent, duration retry_pause);

// The result of an unanswered delivery whose client is no longer one of this node's. As long as it is one, the delivery
// waits in its lane.
enum class silent_end {
    client_gone, // the client that may have it is gone
    in_doubt,    // the client that may have it has another home
    elsewhere    // no client has it
};
// `bound`: the client may have it. `gone`: for good; otherwise it has another home.
silent_end after_silence(bool bound, bool gone);

// A group whose size the client refused. From `bytes` on: of its single execution.
struct size_refusal {
    std::size_t count = 1;   // executions
    bool here = true;        // the client is still one of this node's; otherwise its refusal says nothing of others
    std::size_t bytes = 0;   // of its payload
    bool bound = false;      // an earlier message may have brought it to the client
    bool named = false;      // no other client may get it
    std::size_t clients = 1; // of this node that have refused it, this one included
};
enum class refused_size {
    split,      // in halves
    elsewhere,  // another client may stand behind no such limit
    impossible, // clients refuse what a client must take
    in_doubt,   // the client may have it
    unanswered  // a client that refuses even a small message is out of order
};
refused_size after_refusal(size_refusal const& what);

// The fate that a slave remembers for an attempt that it reports as undelivered for this cause.
fate fate_after(protocol::return_cause cause);

} // namespace baton::trigger
