#pragma once
// baton::protocol: what travels between nodes, clients, web and people, as structs with their JSON beside them. Shared
// by trigger, web and the SDK; no I/O. docs/protocol.md describes the same for readers; golden files in tests pin it.

#include "libs/protocol/client_wire.hpp"
#include "libs/protocol/node_wire.hpp"
#include "libs/protocol/outcome.hpp"
#include "libs/protocol/task.hpp"
