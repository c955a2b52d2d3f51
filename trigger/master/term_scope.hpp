#pragma once

#include "libs/http/client.hpp"
#include "libs/storage/ledger.hpp"
#include "trigger/delivery/local_slave.hpp"
#include "trigger/election/election_trace.hpp"
#include "trigger/election/epoch_claims.hpp"
#include "trigger/master/client_directory.hpp"
#include "trigger/master/open_set.hpp"
#include "trigger/master/term.hpp"
#include "trigger/membership/membership.hpp"

namespace baton::trigger {

// The parts of the node that a term works with. They live as long as the process.
struct node_parts {
    membership& nodes;
    local_questions& questions;
    local_slave& here;
    http::client& http;
    epoch_claims& epochs;
    election_trace& trace;
};

// Shared by the parts of one term.
struct term_scope {
    trigger::term& term;
    storage::ledger& ledger;
    open_set& open;
    client_directory& clients;
    waker& due_changed; // wakes the assigner: an execution may be due earlier than it knows
    asio::any_io_executor loop;
};

} // namespace baton::trigger
