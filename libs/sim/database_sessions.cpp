#include "libs/sim/database.hpp"

#include <spdlog/fmt/fmt.h>

// What becomes of the sessions on the server: silence, a client that has gone, and the waiting for locks.
namespace baton::sim {

namespace {

constexpr auto stubborn = virtual_time::manner::stubborn;

} // namespace

session_handle database_server::open(host const& who, duration idle_limit)
{
    auto made = sessions_.open(who, who.name(), idle_limit, time_.now());
    if (idle_limit > 0us)
        asio::co_spawn(loop_, watch_silence(made), asio::detached);
    return made;
}

void database_server::end_session(server_session& which, char const* why)
{
    log_.note(fmt::format("session {} of {} ends: {}", which.id, which.host_name, why));
    sessions_.end(which);
}

void database_server::statement_over(server_session& which)
{
    which.busy = false;
    which.interrupted = false;
    which.silent_since = time_.now();
    if (which.hung_up && !which.ended)
        end_session(which, "its client has gone");
}

awaitable<void> database_server::thaw()
{
    while (time_.now() < frozen_until_) {
        auto const place = time_.reserve(frozen_until_);
        co_await time_.rest(place, nullptr, stubborn);
    }
}

awaitable<void> database_server::watch_silence(session_handle which)
{
    while (!which->ended) {
        auto const since = which->busy ? time_.now() : which->silent_since;
        auto const place = time_.reserve(since + which->idle_limit);
        co_await time_.rest(place, nullptr, stubborn);
        co_await thaw(); // what has arrived meanwhile is read before the clock
        bool const silent = !which->busy && time_.now() - which->silent_since >= which->idle_limit;
        if (silent && !which->ended)
            end_session(*which, "it was silent");
    }
}

// The client closes the connection.
void database_server::hang_up(session_handle const& which)
{
    if (!which || which->ended || which->leaving)
        return;
    which->leaving = true;
    asio::co_spawn(loop_, say_goodbye(which), asio::detached);
}

void database_server::hang_up(host const& who)
{
    for (auto const& session : sessions_.all())
        if (session->of == &who)
            hang_up(session);
}

awaitable<void> database_server::say_goodbye(session_handle which)
{
    auto const arrives = std::max(time_.now() + way(endings_), which->last_sent + 1us);
    auto const place = time_.reserve(arrives);
    co_await time_.rest(place, nullptr, stubborn);
    if (parted_.contains(which->host_name)) {
        which->cut_off = true; // it is said again when the way is mended
        co_return;
    }
    co_await thaw();
    if (which->ended)
        co_return;
    which->hung_up = true;
    if (which->waits)
        co_await notice_absence(which);
    else if (!which->busy)
        end_session(*which, "its client has gone");
}

// The server looks only now and then whether the client of a session that waits for a lock is still there.
awaitable<void> database_server::notice_absence(session_handle which)
{
    auto const wait = which->waits;
    auto const place = time_.reserve(time_.now() + between(endings_, 0us, faults.notice_most));
    co_await time_.rest(place, nullptr, stubborn);
    co_await thaw();
    if (!which->ended && which->waits == wait)
        end_session(*which, "its client has gone, and it waits for nobody");
}

std::shared_ptr<lock_wait> database_server::queue(std::shared_ptr<lock_wait> wanted, std::shared_ptr<bell> caller)
{
    wanted->caller = std::move(caller);
    sessions_.queue(wanted);
    asio::co_spawn(loop_, time_out(wanted), asio::detached);
    if (auto const session = sessions_.find(wanted->who); session->hung_up)
        asio::co_spawn(loop_, notice_absence(session), asio::detached);
    return wanted;
}

awaitable<void> database_server::time_out(std::shared_ptr<lock_wait> wait)
{
    auto const place = time_.reserve(time_.now() + wait->limit);
    co_await time_.rest(place, nullptr, stubborn);
    co_await thaw();
    sessions_.conclude(wait, lock_wait::outcome::timed_out);
}

// Its call goes on if there is still somebody who waits for the answer.
void database_server::wait_over(lock_wait& wait)
{
    bool const granted = wait.came == lock_wait::outcome::granted;
    if (wait.caller) {
        wait.caller->ring();
        return;
    }
    if (wait.came == lock_wait::outcome::session_ended)
        return;
    auto const session = sessions_.find(wait.who);
    if (granted)
        log_.note(fmt::format("session {} of {} is granted a lock for nobody", session->id, session->host_name));
    if (granted && session->hung_up)
        asio::co_spawn(loop_, end_ghost(session), asio::detached);
    else
        statement_over(*session);
}

// The server writes the answer and then finds that there is nobody.
awaitable<void> database_server::end_ghost(session_handle which)
{
    which->busy = false;
    bool const lingers = endings_.fraction() < faults.ghost;
    auto const moment = between(endings_, faults.quickest, faults.slowest);
    auto const longer = between(endings_, 0us, faults.ghost_most);
    auto const place = time_.reserve(time_.now() + (lingers ? longer : moment));
    co_await time_.rest(place, nullptr, stubborn);
    co_await thaw();
    if (!which->ended)
        end_session(*which, "it was a ghost");
}

} // namespace baton::sim
