#include "libs/protocol/node_wire.hpp"

#include "libs/base/error.hpp"
#include "libs/protocol/wire_json.hpp"

#include <array>

namespace baton::protocol {

namespace {
constexpr std::array<std::string_view, 3> signal_kinds{"task", "run", "cancel"};
}

std::string_view to_string(signal_kind which)
{
    return signal_kinds[static_cast<std::size_t>(which)];
}

signal_kind parse_signal_kind(std::string_view text)
{
    for (std::size_t i = 0; i < signal_kinds.size(); ++i)
        if (signal_kinds[i] == text)
            return static_cast<signal_kind>(i);
    throw invalid_input("kind", "unknown kind '" + std::string(text) + "'");
}

BATON_LEAN_WIRE(assignment, work, service, routing, instance)
BATON_WIRE(assign_request, epoch, master, number, open, executions)
BATON_WIRE(assign_answer, epoch, accepted)
BATON_LEAN_WIRE(delivered, execution, attempt, client, holds)
BATON_LEAN_WIRE(undelivered, execution, attempt, client, why)
BATON_LEAN_WIRE(finished, execution, attempt, status, finished_at)
BATON_WIRE(report_request, node, epoch, delivered, undelivered, finished)
BATON_WIRE(report_answer, assigned)
BATON_WIRE(signal_request, id, kind, subject)
BATON_WIRE(departed_message, instance)

BATON_TEXT(assign_request)
BATON_TEXT(report_request)

} // namespace baton::protocol
