#include "libs/sim/database.hpp"
#include "libs/sim/random_between.hpp"

#include <spdlog/fmt/fmt.h>

// The sessions on the server: their idle limit, clients that have gone, and waits for named locks.
namespace baton::sim {

namespace {

constexpr auto uncancellable = virtual_time::sleep_kind::uncancellable;

} // namespace

session_handle database_server::open(host const& client, duration idle_limit)
{
    auto made = sessions_.open(client, client.name(), idle_limit, env_.time.now());
    if (idle_limit > 0us)
        asio::co_spawn(env_.loop, watch_silence(made), asio::detached);
    return made;
}

void database_server::end_session(server_session& session, char const* why)
{
    env_.log.note(fmt::format("session {} of {} ends: {}", session.id, session.host_name, why));
    sessions_.end(session);
}

void database_server::statement_over(server_session& session)
{
    session.busy = false;
    session.interrupted = false;
    session.silent_since = env_.time.now();
    if (session.hung_up && !session.ended)
        end_session(session, "its client has gone");
}

// Waits until the server is not frozen.
awaitable<void> database_server::thaw()
{
    while (env_.time.now() < frozen_until_) {
        auto const place = env_.time.reserve(frozen_until_);
        co_await env_.time.sleep_at(place, nullptr, uncancellable);
    }
}

awaitable<void> database_server::watch_silence(session_handle session)
{
    while (!session->ended) {
        auto const since = session->busy ? env_.time.now() : session->silent_since;
        auto const place = env_.time.reserve(since + session->idle_limit);
        co_await env_.time.sleep_at(place, nullptr, uncancellable);
        co_await thaw(); // requests that arrived meanwhile are read before the idle time is checked
        bool const silent = !session->busy && env_.time.now() - session->silent_since >= session->idle_limit;
        if (silent && !session->ended)
            end_session(*session, "it was idle for too long");
    }
}

// The client closes the connection.
void database_server::hang_up(session_handle const& session)
{
    if (!session || session->ended || session->leaving)
        return;
    session->leaving = true;
    asio::co_spawn(env_.loop, deliver_close(session), asio::detached);
}

void database_server::hang_up(host const& client)
{
    for (auto const& session : sessions_.all())
        if (session->client_host == &client)
            hang_up(session);
}

awaitable<void> database_server::deliver_close(session_handle session)
{
    auto const arrives = std::max(env_.time.now() + latency(endings_), session->last_sent + 1us);
    auto const place = env_.time.reserve(arrives);
    co_await env_.time.sleep_at(place, nullptr, uncancellable);
    if (partitioned_.contains(session->host_name)) {
        session->cut_off = true; // repeated when the partition heals
        co_return;
    }
    co_await thaw();
    if (session->ended)
        co_return;
    session->hung_up = true;
    if (session->waits)
        co_await end_absent_waiter(session);
    else if (!session->busy)
        end_session(*session, "its client has gone");
}

// The server checks only from time to time whether the client of a lock waiter is still connected.
awaitable<void> database_server::end_absent_waiter(session_handle session)
{
    auto const wait = session->waits;
    auto const place = env_.time.reserve(env_.time.now() + random_between(endings_, 0us, faults.notice_max));
    co_await env_.time.sleep_at(place, nullptr, uncancellable);
    co_await thaw();
    if (!session->ended && session->waits == wait)
        end_session(*session, "its client has gone while it waits for a lock");
}

std::shared_ptr<lock_wait> database_server::queue(std::shared_ptr<lock_wait> wanted, std::shared_ptr<event> caller)
{
    wanted->caller = std::move(caller);
    sessions_.queue(wanted);
    asio::co_spawn(env_.loop, time_out(wanted), asio::detached);
    if (auto const session = sessions_.find(wanted->session_id); session->hung_up)
        asio::co_spawn(env_.loop, end_absent_waiter(session), asio::detached);
    return wanted;
}

awaitable<void> database_server::time_out(std::shared_ptr<lock_wait> wait)
{
    auto const place = env_.time.reserve(env_.time.now() + wait->limit);
    co_await env_.time.sleep_at(place, nullptr, uncancellable);
    co_await thaw();
    sessions_.conclude(wait, lock_wait::outcome::timed_out);
}

// Continues the call if its caller still waits; otherwise ends the statement.
void database_server::wait_over(lock_wait& wait)
{
    bool const granted = wait.result == lock_wait::outcome::granted;
    if (wait.caller) {
        wait.caller->set();
        return;
    }
    if (wait.result == lock_wait::outcome::session_ended)
        return;
    auto const session = sessions_.find(wait.session_id);
    if (granted)
        env_.log.note(
            fmt::format("session {} of {} gets a lock after its client has gone", session->id, session->host_name));
    if (granted && session->hung_up)
        asio::co_spawn(env_.loop, end_ghost(session), asio::detached);
    else
        statement_over(*session);
}

// The server writes the answer and only then notices that the client has gone.
awaitable<void> database_server::end_ghost(session_handle session)
{
    session->busy = false;
    bool const lingers = endings_.fraction() < faults.ghost;
    auto const moment = random_between(endings_, faults.min_latency, faults.max_latency);
    auto const longer = random_between(endings_, 0us, faults.ghost_max);
    auto const place = env_.time.reserve(env_.time.now() + (lingers ? longer : moment));
    co_await env_.time.sleep_at(place, nullptr, uncancellable);
    co_await thaw();
    if (!session->ended)
        end_session(*session, "its client has gone after it got a lock");
}

} // namespace baton::sim
