#include "libs/sim/database_call.hpp"

#include "libs/storage/detail.hpp"

#include <boost/asio/error.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <stdexcept>

// The course of a call, and what is left of one whose caller has gone.
namespace baton::sim {

namespace {

// The caller's read limit has passed.
struct gave_up {};

// The real client looks whether a session that it has not used for so long is still there.
constexpr duration idle_before_ping = 5s;

} // namespace

awaitable<void> database_server::carry_out(host& who, client_session& session, memory_store::job const& work,
                                           bool in_transaction)
{
    auto const number = ++calls_;
    call mine{who, session, work, in_transaction, time_.now() + session.how.read_limit, draw()};
    mine.arrives = time_.now() + mine.luck.request;
    try {
        co_await serve(mine);
        co_await who.thaw();
        session.used_at = time_.now();
        log_.note(fmt::format("database call {} of {} done", number, who.name()));
    } catch (gave_up const&) {
        log_.note(fmt::format("database call {} of {} given up", number, who.name()));
        leave_behind(mine);
        throw unavailable("database: no answer within the read limit");
    } catch (boost::system::system_error const&) {
        leave_behind(mine); // the host died
        throw;
    }
    if (mine.failure)
        std::rethrow_exception(mine.failure);
}

// Ends early with gave_up or, when the host dies, with operation_aborted.
awaitable<void> database_server::serve(call& mine)
{
    if (!mine.luck.request_lost && !parted(mine.who))
        mine.at = call::phase::on_its_way;
    if (mine.at == call::phase::not_sent)
        co_await wait(mine, instant::max());
    send(mine);
    co_await wait(mine, mine.arrives);
    if (time_.now() < down_until_) {
        mine.at = call::phase::done;
        mine.session.on_server.reset();
        mine.failure = std::make_exception_ptr(unavailable("database: connection refused"));
        co_await wait(mine, time_.now() + mine.luck.reply);
        co_return;
    }
    mine.crashes = crashes_;
    bool const attached = attach(mine);
    co_await thaw(mine);
    mine.begun = utc();
    mine.executes = time_.now() + mine.luck.stall;
    mine.at = call::phase::begun;
    if (attached && mine.luck.stall > 0us)
        co_await wait(mine, mine.executes);
    co_await thaw(mine);
    mine.at = call::phase::done;
    execute(mine);
    while (mine.at == call::phase::waiting)
        co_await wait_for_lock(mine);
    bool const silence = mine.luck.reply_lost || parted(mine.who);
    co_await wait(mine, silence ? instant::max() : time_.now() + mine.luck.reply);
}

awaitable<void> database_server::thaw(call const& mine)
{
    while (time_.now() < frozen_until_)
        co_await wait(mine, frozen_until_);
}

awaitable<void> database_server::wait(call const& mine, instant until)
{
    do {
        auto const place = time_.reserve(std::min(until, mine.patience()));
        co_await time_.rest(place, &mine.who.span(), virtual_time::manner::stubborn);
    } while (time_.now() < std::min(until, mine.patience()));
    if (time_.now() < until)
        throw gave_up{};
}

// Until the server has an answer to the waiting, with which the call is run again.
awaitable<void> database_server::wait_for_lock(call& mine)
{
    auto const turn = mine.lock->caller;
    bool called = false;
    do {
        auto const until = mine.patience();
        called = co_await turn->wait_until(until, &mine.who.span(), virtual_time::manner::stubborn);
    } while (!called && time_.now() < mine.patience());
    if (!called)
        throw gave_up{};
    mine.at = call::phase::done;
    execute(mine);
}

void database_server::send(call const& mine)
{
    auto& session = mine.session.on_server;
    if (session && session->ended && time_.now() - mine.session.used_at >= idle_before_ping)
        session.reset();
    if (session)
        session->last_sent = mine.arrives;
}

// Gives an arriving call its session: the one of its client, or a new one. False when the server has ended that one; a
// transaction fails before it has begun then, and comes again.
bool database_server::attach(call const& mine)
{
    auto& session = mine.session.on_server;
    if (session && session->ended) {
        if (!mine.in_transaction)
            return false;
        session.reset();
    }
    if (!session)
        session = open(mine.who, mine.session.how.idle_limit);
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
        bool const repeatable = done.acts == 0 && store_.changes() == mark;
        if (!repeatable)
            throw std::logic_error("a call waits for a named lock after it has done something");
        mine.failure = {};
        mine.at = call::phase::waiting;
        mine.lock = queue(done.wanted, std::make_shared<bell>(time_));
        return;
    }
    statement_over(*session);
}

void database_server::run(call& mine)
{
    if (mine.in_transaction && mine.luck.deadlock) {
        sessions_.begin(mine.session.on_server);
        store_.run_and_lose(mine.work, mine.begun);
    }
    sessions_.begin(mine.session.on_server, mine.lock ? mine.lock->came : lock_wait::outcome::waiting);
    try {
        store_.run(mine.work, mine.in_transaction, mine.begun);
    } catch (...) {
        mine.failure = std::current_exception(); // it travels back like any answer
    }
}

// The caller has gone, perhaps while its statement was on its way to the server or in its hands.
void database_server::leave_behind(call& mine)
{
    if (mine.at == call::phase::on_its_way || mine.at == call::phase::begun) {
        if (mine.in_transaction)
            leave_transaction(mine);
        else
            leave_statement(mine);
    }
    if (mine.at == call::phase::waiting) {
        mine.lock->caller.reset();
        if (mine.lock->came != lock_wait::outcome::waiting)
            wait_over(*mine.lock);
    }
    hang_up(std::exchange(mine.session.on_server, {}));
}

void database_server::leave_transaction(call& mine)
{
    bool const begun = mine.at == call::phase::begun;
    if (begun && mine.luck.committed && time_.now() >= frozen_until_) {
        execute(mine);
        ++left_behind_;
        log_.note("a transaction of " + mine.who.name() + " is committed for nobody");
    } else if (auto const& session = mine.session.on_server; session && session->busy) {
        // The server finds the connection closed and rolls back.
        statement_over(*session);
    }
}

void database_server::leave_statement(call const& mine)
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
    auto rest = finish_alone({text, begun ? mine.executes : mine.arrives, begun_at, mine.who, session});
    asio::co_spawn(loop_, std::move(rest), asio::detached);
}

awaitable<void> database_server::finish_alone(remnant rest)
{
    auto const crashes = crashes_;
    auto const stubborn = virtual_time::manner::stubborn;
    do {
        auto const place = time_.reserve(std::max(rest.at, frozen_until_));
        co_await time_.rest(place, nullptr, stubborn);
    } while (time_.now() < frozen_until_);
    if (crashes_ != crashes || time_.now() < down_until_)
        co_return;
    if (!rest.session) {
        rest.session = open(rest.who, {});
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
    ++left_behind_;
    log_.note(fmt::format("a statement of {} executes for nobody: {} rows", rest.who.name(), rows));
    if (auto const done = sessions_.finish(); done.wanted)
        queue(done.wanted, nullptr);
    else
        statement_over(session);
}

} // namespace baton::sim
