#pragma once
// Private to the simulated database server.

#include "libs/sim/database.hpp"

#include <algorithm>
#include <exception>

namespace baton::sim {

// The latency and faults of one call.
struct database_server::drawn_faults {
    duration request{};
    duration stall{};
    duration reply{};
    bool request_lost = false;
    bool reply_lost = false;
    bool deadlock = false;
    bool committed = false; // the transaction commits if its caller gives up while it stalls
};

// The client's view of a session.
struct database_server::client_session {
    connection settings;
    session_handle on_server{}; // null before the first call and when the client knows that the session has ended
    instant used_at{};
};

struct database_server::call {
    enum class phase { not_sent, on_its_way, begun, waiting, done };

    host& client;
    client_session& session;
    memory_store::job const& work;
    bool in_transaction;
    instant give_up;
    drawn_faults drawn;
    instant arrives{};
    phase at = phase::not_sent;
    utc_time begun{};                  // the server's clock at the start of the statement
    instant executes{};                // the end of the stall
    std::uint64_t crashes = 0;         // crashes of the server before the call arrived
    std::shared_ptr<lock_wait> lock{}; // the wait for a named lock, if any
    std::exception_ptr failure{};

    // When the caller gives up. A frozen caller does not give up, and accepts an answer that arrived meanwhile.
    instant deadline() const { return std::max(give_up, client.frozen_until()); }
};

// A statement owner caller has gone.
struct database_server::orphan {
    std::string text;
    instant at;                    // when it executes if it has started, otherwise when it arrives
    std::optional<utc_time> begun; // the server's clock at its start, if it has started
    host const& client;
    session_handle session; // null if the connection is created by this statement
};

} // namespace baton::sim
