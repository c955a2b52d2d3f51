#include "libs/protocol/node_wire.hpp"

#include "libs/protocol/wire_macros.hpp"

namespace baton::protocol {

client_choice choice_for(routing task)
{
    switch (task) {
    case routing::random:
        return client_choice::random;
    case routing::least_loaded:
        return client_choice::least_loaded;
    case routing::skip_busy:
        return client_choice::skip_busy;
    case routing::round_robin:
    case routing::broadcast:
        return client_choice::round_robin;
    case routing::first:
    case routing::last:
    case routing::failover:
    case routing::consistent_hash:
    case routing::instance:
        break;
    }
    return client_choice::instance;
}

bool is_chosen_by_master(routing task)
{
    return choice_for(task) == client_choice::instance;
}

BATON_WIRE(handler_capacity, handlers, slots, places)
BATON_LEAN_WIRE(service_capacity, project, service, classes)
BATON_LEAN_WIRE(client_places, instance, places)
BATON_WIRE(capacity_message, number, services, named)
BATON_LEAN_WIRE(assignment, work, project, service, routing, instance, tag, once)
BATON_WIRE(assign_request, term, master, number, open, executions)
BATON_WIRE(assign_answer, term, accepted)
BATON_LEAN_WIRE(delivered, execution, attempt, client, holds, number)
BATON_LEAN_WIRE(undelivered, execution, attempt, cause, client, why, number)
BATON_LEAN_WIRE(finished, execution, attempt, status, finished_at, final, interrupted)
BATON_WIRE(report_request, node, term, delivered, undelivered, finished, started, capacity)
BATON_WIRE(report_answer, assigned, forgotten)
BATON_WIRE(announce_answer, term, capacity)
BATON_WIRE(ask_request, term, instances, executions, attempts)
BATON_WIRE(client_held, instance, held)
BATON_WIRE(ask_answer, term, answered)
BATON_WIRE(cancel_at_request, term, instance, executions)
BATON_WIRE(ended_request, term, executions)
BATON_WIRE(signal_request, id, kind, subject)
BATON_WIRE(departed_client, instance, home, generation)
BATON_WIRE(departed_message, clients)

BATON_TEXT(assign_request)
BATON_TEXT(report_request)

} // namespace baton::protocol
