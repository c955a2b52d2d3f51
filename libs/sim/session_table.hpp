#pragma once
// The sessions of a simulated server and their named locks.

#include "libs/base/time.hpp"
#include "libs/sim/session_functions.hpp"
#include "libs/sim/virtual_time.hpp"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace baton::sim {

class host;

// A session's wait for a named lock.
struct lock_wait {
    enum class outcome { waiting, granted, timed_out, interrupted, session_ended };

    std::int64_t session_id;
    std::string name;
    duration limit;
    outcome result = outcome::waiting;
    std::shared_ptr<event> caller{}; // set when the wait is over; null if the caller has gone
};

// The server's view of one session.
struct server_session {
    std::int64_t id;
    host const* client_host;
    std::string host_name;
    duration idle_limit;
    instant silent_since{};
    instant last_sent{};      // the arrival of the last request
    bool busy = false;        // a statement runs or waits
    bool interrupted = false; // the running statement has been killed
    bool leaving = false;     // the client has closed the connection
    bool cut_off = false;     // and the server cannot learn of it, because of a partition
    bool hung_up = false;     // and the server has learned of it
    bool ended = false;
    std::shared_ptr<lock_wait> waits{}; // the wait of the running statement, if any
};
using session_handle = std::shared_ptr<server_session>;

// The sessions of a server and their named locks, with MySQL's rules. It holds only state; the server decides when
// things happen and runs each statement on behalf of a session.
class session_table final : public session_functions {
public:
    // `wait_over` is called when a wait ends. The session still exists then, unless its end is the reason.
    explicit session_table(std::function<void(lock_wait&)> wait_over) : wait_over_(std::move(wait_over)) {}

    session_handle open(host const& client, std::string host_name, duration idle_limit, instant now);
    void end(server_session& session);
    void end_all(); // the server crashed; ids start again at 1
    std::vector<session_handle> all() const;
    session_handle const& find(std::int64_t id); // throws runtime_error if there is none

    // A statement runs between begin() and finish(). `answer` is the result of its earlier wait for a lock, if it had
    // to wait. In a rehearsal the functions have no effect.
    void begin(session_handle const& session, lock_wait::outcome answer = lock_wait::outcome::waiting);
    void begin_rehearsal(session_handle const& session);
    struct statement_effects {
        std::shared_ptr<lock_wait> wanted{}; // set if the statement must wait for a lock and run again
        int changes = 0;                     // number of changes to sessions and locks
    };
    statement_effects finish();

    void queue(std::shared_ptr<lock_wait> const& wait);
    void conclude(std::shared_ptr<lock_wait> const& wait, lock_wait::outcome result); // no effect if it is over

    number connection_id() override;
    std::string server_id() override { return server_id_; }
    number get_lock(std::string const& name, double seconds) override;
    number release_lock(std::string const& name) override;
    number lock_holder(std::string const& name) override;
    number kill_query(std::int64_t id) override;
    number kill(std::int64_t id) override;

    void set_server_id(std::string text) { server_id_ = std::move(text); }

private:
    struct named_lock {
        std::int64_t owner = 0; // 0: free
        int count = 0;          // how often the owner has acquired it
        std::deque<std::shared_ptr<lock_wait>> queue{};
    };

    server_session& current();
    void pass_on(std::string const& name);
    void leave_queue(lock_wait const& wait);

    std::function<void(lock_wait&)> wait_over_;
    std::map<std::int64_t, session_handle> sessions_;
    std::map<std::string, named_lock> locks_; // held locks only
    std::int64_t last_id_ = 0;
    std::string server_id_ = "simulated";

    // The running statement.
    session_handle running_; // null for a test's own query
    lock_wait::outcome answer_ = lock_wait::outcome::waiting;
    bool rehearsal_ = false;
    statement_effects effects_;
};

} // namespace baton::sim
