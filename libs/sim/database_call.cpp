#include "libs/sim/database_call.hpp"

#include "libs/storage/detail.hpp"

#include <boost/asio/error.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <stdexcept>

// The steps of a call, and the orphaned statement of a call owner caller has gone.
namespace baton::sim {

namespace {

// The caller's read limit has passed.
struct gave_up {};

// The real client pings a session before it uses it again after this time.
constexpr duration idle_before_ping = 5s;

} // namespace

awaitable<void> database_server::carry_out(host& client, client_session& session, memory_store::job const& work,
                                           bool in_transaction)
{
    auto const number = ++calls_;
    call mine{client, session, work, in_transaction, env_.time.now() + session.settings.read_limit, draw()};
    mine.arrives = env_.time.now() + mine.drawn.request;
    try {
        co_await serve(mine);
        co_await client.thaw();
        session.used_at = env_.time.now();
        env_.log.note(fmt::format("database call {} of {} done", number, client.name()));
    } catch (gave_up const&) {
        env_.log.note(fmt::format("{} gives up on database call {}", client.name(), number));
        abandon(mine);
        throw unavailable("database: no answer within the read limit");
    } catch (boost::system::system_error const&) {
        abandon(mine); // the host died
        throw;
    }
    if (mine.failure)
        std::rethrow_exception(mine.failure);
}

// Throws gave_up when the caller gives up, and operation_aborted when its host dies.
awaitable<void> database_server::serve(call& mine)
{
    if (!mine.drawn.request_lost && !partitioned(mine.client))
        mine.at = call::phase::on_its_way;
    if (mine.at == call::phase::not_sent)
        co_await wait(mine, instant::max());
    send(mine);
    co_await wait(mine, mine.arrives);
    if (env_.time.now() < down_until_) {
        mine.at = call::phase::done;
        mine.session.on_server.reset();
        mine.failure = std::make_exception_ptr(unavailable("database: connection refused"));
        co_await wait(mine, env_.time.now() + mine.drawn.reply);
        co_return;
    }
    mine.crashes = crashes_;
    bool const attached = attach(mine);
    co_await thaw(mine);
    mine.begun = utc();
    mine.executes = env_.time.now() + mine.drawn.stall;
    mine.at = call::phase::begun;
    if (attached && mine.drawn.stall > 0us)
        co_await wait(mine, mine.executes);
    co_await thaw(mine);
    mine.at = call::phase::done;
    execute(mine);
    while (mine.at == call::phase::waiting)
        co_await wait_for_lock(mine);
    bool const silence = mine.drawn.reply_lost || partitioned(mine.client);
    co_await wait(mine, silence ? instant::max() : env_.time.now() + mine.drawn.reply);
}

awaitable<void> database_server::thaw(call const& mine)
{
    while (env_.time.now() < frozen_until_)
        co_await wait(mine, frozen_until_);
}

awaitable<void> database_server::wait(call const& mine, instant until)
{
    do {
        auto const place = env_.time.reserve(std::min(until, mine.deadline()));
        co_await env_.time.sleep_at(place, &mine.client.span(), virtual_time::sleep_kind::uncancellable);
    } while (env_.time.now() < std::min(until, mine.deadline()));
    if (env_.time.now() < until)
        throw gave_up{};
}

// Waits for the server's answer to a lock wait, and runs the call again with that answer.
awaitable<void> database_server::wait_for_lock(call& mine)
{
    auto const turn = mine.lock->caller;
    bool called = false;
    do {
        auto const until = mine.deadline();
        called = co_await turn->wait_until(until, &mine.client.span(), virtual_time::sleep_kind::uncancellable);
    } while (!called && env_.time.now() < mine.deadline());
    if (!called)
        throw gave_up{};
    mine.at = call::phase::done;
    execute(mine);
}

void database_server::send(call const& mine)
{
    auto& session = mine.session.on_server;
    if (session && session->ended && env_.time.now() - mine.session.used_at >= idle_before_ping)
        session.reset();
    if (session)
        session->last_sent = mine.arrives;
}

// Gives an arriving call its client's session, or a new one. False if the server has ended that session; a transaction
// fails before it has begun then and is repeated on a new session.
bool database_server::attach(call const& mine)
{
    auto& session = mine.session.on_server;
    if (session && session->ended) {
        if (!mine.in_transaction)
            return false;
        session.reset();
    }
    if (!session)
        session = open(mine.client, mine.session.settings.idle_limit);
    session->busy = true;
    return true;
}

void database_server::execute(call& mine)
{
    auto& session = mine.session.on_server;
    if (crashes_ != mine.crashes || session->ended) {
        session.reset();
        mine.failure = std::make_exception_ptr(storage::session_broken("database: lost connection during query"));
        return;
    }
    auto const mark = store_.changes();
    if (session->interrupted)
        mine.failure = std::make_exception_ptr(unavailable("database: query execution was interrupted"));
    else
        run(mine);
    if (auto const done = sessions_.finish(); done.wanted) {
        bool const repeatable = done.changes == 0 && store_.changes() == mark;
        if (!repeatable)
            throw std::logic_error("a call waits for a named lock after it has written something");
        mine.failure = {};
        mine.at = call::phase::waiting;
        mine.lock = queue(done.wanted, std::make_shared<event>(env_.time));
        return;
    }
    statement_over(*session);
}

void database_server::run(call& mine)
{
    if (mine.in_transaction && mine.drawn.deadlock) {
        sessions_.begin(mine.session.on_server);
        store_.run_and_lose(mine.work, mine.begun);
    }
    sessions_.begin(mine.session.on_server, mine.lock ? mine.lock->result : lock_wait::outcome::waiting);
    try {
        store_.run(mine.work, mine.in_transaction, mine.begun);
    } catch (...) {
        mine.failure = std::current_exception(); // travels back like any other answer
    }
}

// Handles a caller that has gone, possibly while its statement was under way or running.
void database_server::abandon(call& mine)
{
    if (mine.at == call::phase::on_its_way || mine.at == call::phase::begun) {
        if (mine.in_transaction)
            abandon_transaction(mine);
        else
            abandon_statement(mine);
    }
    if (mine.at == call::phase::waiting) {
        mine.lock->caller.reset();
        if (mine.lock->result != lock_wait::outcome::waiting)
            wait_over(*mine.lock);
    }
    hang_up(std::exchange(mine.session.on_server, {}));
}

void database_server::abandon_transaction(call& mine)
{
    bool const begun = mine.at == call::phase::begun;
    if (begun && mine.drawn.committed && env_.time.now() >= frozen_until_) {
        execute(mine);
        ++orphaned_;
        env_.log.note("a transaction of " + mine.client.name() + " is committed after its caller has gone");
    } else if (auto const& session = mine.session.on_server; session && session->busy) {
        // The server finds the connection closed and rolls back.
        statement_over(*session);
    }
}

void database_server::abandon_statement(call const& mine)
{
    auto const& session = mine.session.on_server;
    sessions_.begin_rehearsal(session);
    auto const text = store_.first_statement(mine.work, utc());
    sessions_.finish();
    if (text.empty()) {
        if (session && session->busy)
            statement_over(*session);
        return;
    }
    if (session)
        session->busy = true;
    bool const begun = mine.at == call::phase::begun;
    auto const begun_at = begun ? std::optional(mine.begun) : std::nullopt;
    auto rest = finish_orphan({text, begun ? mine.executes : mine.arrives, begun_at, mine.client, session});
    asio::co_spawn(env_.loop, std::move(rest), asio::detached);
}

awaitable<void> database_server::finish_orphan(orphan rest)
{
    auto const crashes = crashes_;
    do {
        auto const place = env_.time.reserve(std::max(rest.at, frozen_until_));
        co_await env_.time.sleep_at(place, nullptr, virtual_time::sleep_kind::uncancellable);
    } while (env_.time.now() < frozen_until_);
    if (crashes_ != crashes || env_.time.now() < down_until_)
        co_return;
    if (!rest.session) {
        rest.session = open(rest.client, {});
        rest.session->hung_up = true;
    }
    auto& session = *rest.session;
    if (session.ended)
        co_return;
    if (session.interrupted) {
        statement_over(session);
        co_return;
    }
    sessions_.begin(rest.session);
    int const rows = store_.replay(rest.text, rest.begun.value_or(utc()));
    ++orphaned_;
    env_.log.note(
        fmt::format("a statement of {} executes after its caller has gone: {} rows", rest.client.name(), rows));
    if (auto const done = sessions_.finish(); done.wanted)
        queue(done.wanted, nullptr);
    else
        statement_over(session);
}

} // namespace baton::sim
