#include "libs/protocol/client_wire.hpp"

#include "libs/base/error.hpp"
#include "libs/protocol/wire_json.hpp"

#include <array>

namespace baton::protocol {

namespace {
constexpr std::array<std::string_view, 7> acks{"accepted", "running",    "finished", "busy",
                                               "draining", "no_handler", "invalid"};
}

std::string_view to_string(ack which)
{
    return acks[static_cast<std::size_t>(which)];
}

void to_json(nlohmann::json& out, ack const& in)
{
    out = to_string(in);
}

void from_json(nlohmann::json const& in, ack& out)
{
    auto const text = in.get<std::string>();
    for (std::size_t i = 0; i < acks.size(); ++i)
        if (acks[i] == text) {
            out = static_cast<ack>(i);
            return;
        }
    throw invalid_input("answer", "unknown answer '" + text + "'");
}

void to_json(nlohmann::json& out, state const& in)
{
    out = to_string(in);
}

void from_json(nlohmann::json const& in, state& out)
{
    out = parse_state(in.get<std::string>());
}

BATON_WIRE(register_request, service, instance, address, secret, handlers, slots, queue, version, epoch)
BATON_WIRE(heartbeat_request, instance, free_slots, epoch, draining)
BATON_WIRE(heartbeat_answer, epoch, heartbeat_ms, ttl_ms)
BATON_WIRE(leave_request, instance)
BATON_LEAN_WIRE(result_report, execution, attempt, status, started_at, finished_at, progress, value, error)
BATON_WIRE(results_request, instance, results)
BATON_LEAN_WIRE(attempt_key, execution, attempt)
BATON_WIRE(results_answer, epoch, recorded)
BATON_LEAN_WIRE(dispatch, execution, attempt, task, task_name, handler, payload, scheduled_at, timeout_us, shard_index,
                shard_total)
BATON_WIRE(dispatch_request, epoch, node, number, executions)
BATON_LEAN_WIRE(dispatch_ack, execution, attempt, answer, holds)
BATON_WIRE(dispatch_answer, epoch, free, executions)
BATON_WIRE(executions_request, epoch, executions)
BATON_WIRE(query_request, epoch, executions, attempts)
BATON_WIRE(held_execution, execution, attempt, finished, succeeded)
BATON_WIRE(query_answer, epoch, held)
BATON_WIRE(epoch_message, epoch)

BATON_TEXT(heartbeat_request)
BATON_TEXT(heartbeat_answer)
BATON_TEXT(results_request)
BATON_TEXT(results_answer)
BATON_TEXT(dispatch_request)
BATON_TEXT(dispatch_answer)

} // namespace baton::protocol
