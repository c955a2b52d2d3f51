#pragma once
// The environment that all parts of a simulation share.

#include "libs/sim/trace.hpp"
#include "libs/sim/virtual_time.hpp"

namespace baton::sim {

struct environment {
    asio::io_context& loop;
    virtual_time& time;
    trace& log;
};

} // namespace baton::sim
