#pragma once

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

// A session that waits for a lock.
struct lock_wait {
    enum class outcome { waiting, granted, timed_out, interrupted, session_ended };

    std::int64_t who;
    std::string name;
    duration limit;
    outcome came = outcome::waiting;
    std::shared_ptr<bell> caller{}; // none once it has gone
};

// What a server knows of one of its connections.
struct server_session {
    std::int64_t id;
    host const* of; // whose process is at the other end
    std::string host_name;
    duration idle_limit;
    instant silent_since{};
    instant last_sent{};      // the arrival of the last request
    bool busy = false;        // a statement is in the server's hands
    bool interrupted = false; // and somebody has killed it
    bool leaving = false;     // the client has closed the connection
    bool cut_off = false;     // which the server cannot hear
    bool hung_up = false;     // which the server has heard
    bool ended = false;
    std::shared_ptr<lock_wait> waits{}; // for a lock, in the statement
};
using session_handle = std::shared_ptr<server_session>;

// The sessions of a server and the locks that they hold by name, as MySQL has them. State only: what happens when is
// the affair of the server, which runs each statement in the name of a session.
class session_table final : public session_functions {
public:
    explicit session_table(std::function<void(lock_wait&)> ended) : tell_(std::move(ended)) {}

    session_handle open(host const& of, std::string host_name, duration idle_limit, instant now);
    void end(server_session& which);
    void end_all(); // the server died; ids begin anew
    std::vector<session_handle> all() const;
    session_handle const& find(std::int64_t id); // throws runtime_error when there is none

    // Between these a statement runs. `answer` is what it got that had to wait for a lock; only in a rehearsal nothing
    // of what it asks for happens.
    void begin(session_handle const& who, lock_wait::outcome answer = lock_wait::outcome::waiting);
    void begin_rehearsal(session_handle const& who);
    struct deeds {
        std::shared_ptr<lock_wait> wanted{}; // it must wait, and be run again
        int acts = 0;                        // so often it has changed something here
    };
    deeds finish();
    int acts() const { return done_.acts; }

    void queue(std::shared_ptr<lock_wait> const& wait);
    void conclude(std::shared_ptr<lock_wait> const& wait, lock_wait::outcome how); // not again

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
        int count = 0;          // of times that the owner has got it
        std::deque<std::shared_ptr<lock_wait>> queue{};
    };

    server_session& current();
    void pass_on(std::string const& name);
    void leave_queue(lock_wait const& wait);

    std::function<void(lock_wait&)> tell_; // a wait is over; the session still lives, unless that is why
    std::map<std::int64_t, session_handle> sessions_;
    std::map<std::string, named_lock> locks_; // those that are held
    std::int64_t last_id_ = 0;
    std::string server_id_ = "simulated";

    session_handle running_; // whose statement it is; none when a test looks
    lock_wait::outcome answer_ = lock_wait::outcome::waiting;
    bool rehearsal_ = false;
    deeds done_;
};

} // namespace baton::sim
