#include "libs/protocol/figures_wire.hpp"

#include "libs/protocol/wire_macros.hpp"

namespace baton::protocol {

BATON_WIRE(figures_request, instances)
BATON_WIRE(client_figures, instance, heard_ms, answered_ms, free_slots, in_flight, waiting, clock_told, clock_offset_ms,
           refused_path, refused_why, refused_ms)
BATON_WIRE(figures_answer, clients)

} // namespace baton::protocol
