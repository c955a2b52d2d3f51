#pragma once
// For the parts of the simulated server only.

#include "libs/sim/database.hpp"

#include <algorithm>
#include <exception>

namespace baton::sim {

struct database_server::fate {
    duration request{};
    duration stall{};
    duration reply{};
    bool request_lost = false;
    bool reply_lost = false;
    bool deadlock = false;
    bool committed = false; // should its caller give up in the middle
};

// What a client knows of its session.
struct database_server::client_session {
    connection how;
    session_handle on_server{}; // none before the first call, and when it is known to be over
    instant used_at{};
};

struct database_server::call {
    enum class phase { not_sent, on_its_way, begun, waiting, done };

    host& who;
    client_session& session;
    memory_store::job const& work;
    bool in_transaction;
    instant give_up;
    fate luck;
    instant arrives{};
    phase at = phase::not_sent;
    utc_time begun{};                  // the server's clock at the start of the statement
    instant executes{};                // when it has stalled enough
    std::uint64_t crashes = 0;         // of the server, before it arrived
    std::shared_ptr<lock_wait> lock{}; // that it waits for, or has waited for
    std::exception_ptr failure{};

    // Who stands still gives nothing up, and afterwards takes the answer that has come meanwhile.
    instant patience() const { return std::max(give_up, who.frozen_until()); }
};

// What the server does for a caller who has gone.
struct database_server::remnant {
    std::string text;
    instant at;                    // of its arrival or, when it has begun, of its execution
    std::optional<utc_time> begun; // the server's clock at its start, if it has
    host const& who;
    session_handle session; // none: its connection comes with it
};

} // namespace baton::sim
