#include "libs/protocol/client_wire.hpp"

#include "libs/protocol/wire_json.hpp"

namespace baton::protocol {

BATON_WIRE(register_request, revision, service, instance, address, secret, generation, handlers, slots, queue, version,
           epoch, unreachable_from, delivery)
BATON_WIRE(heartbeat_request, instance, generation, ticket, free_slots, epoch, draining)
BATON_WIRE(heartbeat_answer, epoch, heartbeat_ms, ttl_ms, node, reach, why, ticket)
BATON_WIRE(watch_request, instance, ticket)
BATON_WIRE(watch_answer, move, to, why)
BATON_WIRE(leave_request, instance, generation, ticket)
BATON_LEAN_WIRE(result_report, execution, attempt, status, started_at, finished_at, progress, value, error, receipt)
BATON_WIRE(results_request, instance, ticket, results)
BATON_LEAN_WIRE(attempt_key, execution, attempt)
BATON_WIRE(results_answer, epoch, recorded, refused)
BATON_LEAN_WIRE(dispatch, execution, attempt, task, task_name, handler, payload, scheduled_at, timeout_us, shard_index,
                shard_total, receipt)
BATON_WIRE(dispatch_request, epoch, node, number, executions, generation)
BATON_LEAN_WIRE(dispatch_ack, execution, attempt, answer, holds)
BATON_WIRE(dispatch_answer, epoch, free, executions)
BATON_WIRE(executions_request, epoch, executions)
BATON_WIRE(query_request, epoch, executions, attempts)
BATON_WIRE(held_execution, execution, attempt, finished, succeeded)
BATON_WIRE(query_answer, epoch, held)
BATON_WIRE(probe_request, nonce)
BATON_WIRE(probe_answer, instance, proof)
BATON_WIRE(epoch_message, epoch)

BATON_TEXT(heartbeat_request)
BATON_TEXT(heartbeat_answer)
BATON_TEXT(results_request)
BATON_TEXT(results_answer)
BATON_TEXT(dispatch_request)
BATON_TEXT(dispatch_answer)

} // namespace baton::protocol
