#pragma once
// For implementations of `database` only.

#include "libs/base/random.hpp"
#include "libs/storage/detail.hpp"

namespace baton::storage {

// A session that is opened at its first use and, if the settings allow, again after it was lost. One thread at a time.
class kept_session {
public:
    kept_session(location const& where, database_settings const& settings, time_source const& time);

    // Runs the work, again after conflicts. Throws as run_job() and open_session() do, and session_ended.
    void run(std::function<void(soci::session&)> const& work, bool in_transaction);

private:
    using job = std::function<void(soci::session&)>;

    bool open();
    void close();
    void run_or_reconnect(job const& work, bool in_transaction);
    void run_on_session(job const& work, bool in_transaction, bool& begun);

    location const& where_;
    database_settings const& settings_;
    time_source const& time_;
    seeded_random chance_;
    session_ptr session_;
    instant used_at_{};
    bool ended_ = false; // lost, and must not be replaced
};

} // namespace baton::storage
