#include "libs/protocol/whereabouts_wire.hpp"

#include "libs/protocol/wire_macros.hpp"

namespace baton::protocol {

BATON_WIRE(whereabouts_request, executions)
BATON_LEAN_WIRE(whereabouts, execution, kind, name, running_there)
BATON_WIRE(whereabouts_answer, executions)

} // namespace baton::protocol
