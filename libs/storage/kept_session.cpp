#include "libs/storage/kept_session.hpp"

#include <soci/soci.h>

#include <thread>
#include <utility>

namespace baton::storage {

namespace {

constexpr int most_tries = 5;
constexpr duration idle_before_ping = 5s;

} // namespace

kept_session::kept_session(location const& where, database_settings const& settings, time_source const& time)
    : where_(where), settings_(settings), time_(time), chance_(entropy())
{}

void kept_session::run(job const& work, bool in_transaction)
{
    try {
        run_or_reconnect(work, in_transaction);
    } catch (session_broken const&) {
        close();
        throw;
    }
}

void kept_session::close()
{
    ended_ = ended_ || (session_ && !settings_.reconnect);
    session_.reset();
}

// True when it was opened just now.
bool kept_session::open()
{
    auto const idle_since = std::exchange(used_at_, time_.now());
    if (session_ && used_at_ - idle_since >= idle_before_ping && !session_->is_connected())
        close();
    if (session_)
        return false;
    if (ended_)
        throw session_ended("database " + where_.text() + ": the session was lost");
    session_ = open_session(where_, settings_, time_);
    return true;
}

void kept_session::run_or_reconnect(job const& work, bool in_transaction)
{
    bool const fresh = open();
    bool begun = false;
    try {
        run_on_session(work, in_transaction, begun);
    } catch (session_broken const&) {
        // The server has closed the idle session. No part of the work has reached it, so a new session may run it.
        if (fresh || begun)
            throw;
    }
    if (!begun) {
        close();
        open();
        run_on_session(work, in_transaction, begun);
    }
}

void kept_session::run_on_session(job const& work, bool in_transaction, bool& begun)
{
    auto const since = time_.now();
    auto const again = [&](int tries) {
        // After a lock time-out the limit has passed already.
        if (tries >= most_tries || time_.now() - since >= std::chrono::seconds{settings_.lock_wait_s})
            return false;
        std::this_thread::sleep_for(duration{1'000 + chance_.below(4'000) * static_cast<unsigned>(tries)});
        return true;
    };
    run_job(*session_, work, in_transaction, again, begun);
}

} // namespace baton::storage
