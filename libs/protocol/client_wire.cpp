#include "libs/protocol/client_wire.hpp"

#include "libs/protocol/wire_macros.hpp"

#include <optional>

namespace baton::protocol {

BATON_LEAN_WIRE(attempt_key, execution, attempt)
BATON_LEAN_WIRE(register_request, revision, project, service, instance, address, secret, generation, handlers, tags,
                slots, queue, version, terms, unreachable_from, delivery, schemas, given_back, held, ids)
BATON_WIRE(heartbeat_request, instance, generation, ticket, free_slots, terms, draining, clock_ms)
BATON_WIRE(heartbeat_answer, terms, heartbeat_ms, ttl_ms, node, reach, why, ticket, fetch)
BATON_WIRE(watch_request, instance, ticket)
BATON_WIRE(watch_answer, move, to, why, fetch)
BATON_WIRE(leave_request, instance, generation, ticket, secret)
BATON_LEAN_WIRE(result_report, execution, attempt, status, started_at, finished_at, progress, value, error, final,
                interrupted, receipt)
BATON_LEAN_WIRE(results_request, instance, ticket, results, ids)
BATON_WIRE(results_answer, term, recorded, refused)
BATON_LEAN_WIRE(past_execution, execution, scheduled_at, ended_at, state)
BATON_LEAN_WIRE(dispatch, execution, attempt, task, task_name, handler, payload, scheduled_at, timeout_us, shard_index,
                shard_total, receipt, final_errors, previous, last_success)
BATON_WIRE(dispatch_request, term, node, number, executions, generation)
BATON_LEAN_WIRE(dispatch_ack, execution, attempt, answer, holds)
BATON_WIRE(dispatch_answer, term, free, executions)
BATON_WIRE(executions_request, term, executions)
BATON_WIRE(query_request, term, executions, attempts)
BATON_WIRE(recall_request, term, node, number, executions, attempts)
BATON_WIRE(recall_answer, term, given_back)
BATON_WIRE(held_execution, execution, attempt, finished, succeeded, run_ms)
BATON_WIRE(query_answer, term, held)
BATON_WIRE(probe_request, nonce)
BATON_WIRE(probe_answer, instance, proof)
BATON_WIRE(epoch_message, term)

BATON_TEXT(heartbeat_request)
BATON_TEXT(heartbeat_answer)
BATON_TEXT(results_request)
BATON_TEXT(dispatch_request)
BATON_TEXT(dispatch_answer)

namespace {

template <class Message>
std::string rewritten(std::string_view text)
{
    Message message;
    read_message(text, message);
    text_ids const while_writing;
    std::string out;
    append_json(out, message);
    return out;
}

} // namespace

std::string to_text(results_answer const& message, id_form ids)
{
    std::optional<text_ids> while_writing;
    if (ids == id_form::text)
        while_writing.emplace();
    std::string text;
    append_json(text, message);
    return text;
}

void from_text(std::string_view text, results_answer& message)
{
    read_message(text, message);
}

std::string with_ids_as_text(std::string_view path, std::string text)
{
    if (path == path_dispatch)
        return rewritten<dispatch_request>(text);
    if (path == path_cancel)
        return rewritten<executions_request>(text);
    if (path == path_query)
        return rewritten<query_request>(text);
    if (path == path_recall)
        return rewritten<recall_request>(text);
    return text;
}

} // namespace baton::protocol
