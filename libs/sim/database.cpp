#include "libs/sim/database.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/error.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <deque>

namespace baton::sim {

namespace {

// The caller's read limit has passed.
struct gave_up {};

// The real client looks whether a session that it has not used for so long is still there.
constexpr duration idle_before_ping = 5s;

} // namespace

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
};

// What the server does for a caller who has gone.
struct database_server::remnant {
    std::string text;
    instant at;                    // of its arrival or, when it has begun, of its execution
    std::optional<utc_time> begun; // the server's clock at its start, if it has
    host const& who;
    session_handle session; // none: its connection comes with it
};

// What a process has: some sessions, and a queue before them.
class database_server::session_pool final : public storage::database {
public:
    session_pool(database_server& server, host& who, connection how)
        : server_(server), who_(who), sessions_(how.sessions, client_session{how})
    {
        for (auto& one : sessions_)
            free_.push_back(&one);
    }
    ~session_pool() override
    {
        for (auto const& one : sessions_)
            if (who_.alive())
                server_.hang_up(one.on_server);
    }

    storage::engine engine() const override { return storage::engine::sqlite; }

protected:
    awaitable<void> execute(job const& work, bool in_transaction) override
    {
        // A coroutine of its own, which no cancellation reaches.
        auto course = use_session(work, in_transaction);
        auto token = asio::bind_cancellation_slot(asio::cancellation_slot(), asio::use_awaitable);
        co_await asio::co_spawn(server_.loop_, std::move(course), token);
    }

private:
    struct held_session {
        session_pool& pool;
        client_session& which;
        ~held_session() { pool.give_back(which); }
    };
    struct turn {
        explicit turn(virtual_time& time) : called(time) {}
        bell called;
        client_session* session = nullptr;
    };

    awaitable<void> use_session(job const& work, bool in_transaction)
    {
        client_session* session = nullptr;
        if (!free_.empty()) {
            session = free_.back();
            free_.pop_back();
        } else {
            auto const mine = std::make_shared<turn>(server_.time_);
            queue_.push_back(mine);
            co_await mine->called.wait_until(instant::max(), &who_.span(), virtual_time::manner::stubborn);
            session = mine->session;
        }
        held_session const mine{*this, *session};
        if (!who_.alive())
            throw boost::system::system_error(asio::error::operation_aborted);
        co_await server_.carry_out(who_, *session, work, in_transaction);
    }

    void give_back(client_session& which)
    {
        if (queue_.empty()) {
            free_.push_back(&which);
            return;
        }
        auto const next = queue_.front();
        queue_.pop_front();
        next->session = &which;
        next->called.ring();
    }

    database_server& server_;
    host& who_;
    std::vector<client_session> sessions_;
    std::vector<client_session*> free_;
    std::deque<std::shared_ptr<turn>> queue_;
};

class database_server::plain final : public storage::database {
public:
    explicit plain(database_server& server) : server_(server) {}
    storage::engine engine() const override { return storage::engine::sqlite; }

protected:
    awaitable<void> execute(job const& work, bool in_transaction) override
    {
        server_.sessions_.begin(nullptr);
        server_.store_.run(work, in_transaction, server_.utc());
        co_return;
    }

private:
    database_server& server_;
};

database_server::database_server(asio::io_context& loop, virtual_time& time, trace& log, std::uint64_t seed)
    : loop_(loop),
      time_(time),
      log_(log),
      random_(seed),
      endings_(~seed),
      sessions_([this](lock_wait& wait) { wait_over(wait); }),
      store_(sessions_)
{}

database_server::~database_server() = default;

std::unique_ptr<storage::database> database_server::connect(host& who, connection how)
{
    who.when_killed([this, &who] { hang_up(who); });
    return std::make_unique<session_pool>(*this, who, how);
}

std::unique_ptr<storage::database> database_server::direct()
{
    return std::make_unique<plain>(*this);
}

void database_server::inspect(std::function<void(soci::session&)> const& look)
{
    sessions_.begin(nullptr);
    store_.run(look, false, utc());
}

void database_server::step_clock(duration by)
{
    clock_offset_ += by;
    log_.note(fmt::format("database clock steps by {} us", by.count()));
}

void database_server::freeze_for(duration span)
{
    frozen_until_ = std::max(frozen_until_, time_.now() + span);
    log_.note(fmt::format("database freezes for {} us", span.count()));
}

void database_server::crash_for(duration span)
{
    ++crashes_;
    sessions_.end_all();
    down_until_ = std::max(down_until_, time_.now() + span);
    log_.note(fmt::format("database is down for {} us", span.count()));
}

void database_server::part(std::string const& host_name)
{
    parted_.insert(host_name);
    log_.note(host_name + " is cut off from the database");
}

void database_server::mend(std::string const& host_name)
{
    if (parted_.erase(host_name) == 0)
        return;
    log_.note(host_name + " reaches the database again");
    for (auto const& session : sessions_.all())
        if (session->cut_off && session->host_name == host_name) {
            session->cut_off = false;
            asio::co_spawn(loop_, say_goodbye(session), asio::detached);
        }
}

duration database_server::between(random_source& random, duration least, duration most)
{
    auto const width = static_cast<std::uint64_t>((most - least).count());
    return least + duration{static_cast<std::int64_t>(random.below(width + 1))};
}

duration database_server::way(random_source& random)
{
    auto const usual = between(random, faults.quickest, faults.slowest);
    bool const hindered = random.fraction() < faults.hurdle;
    auto const more = between(random, 0us, faults.hurdle_most);
    return hindered ? usual + more : usual;
}

database_server::fate database_server::draw()
{
    fate luck;
    luck.request = way(random_);
    luck.reply = way(random_);
    bool const stalls = random_.fraction() < faults.stall;
    auto const stall = between(random_, faults.stall_least, faults.stall_most);
    luck.stall = stalls ? stall : 0us;
    luck.request_lost = random_.fraction() < faults.lose_request;
    luck.reply_lost = random_.fraction() < faults.lose_reply;
    luck.deadlock = random_.fraction() < faults.deadlock;
    luck.committed = random_.below(2) == 0;
    return luck;
}

awaitable<void> database_server::carry_out(host& who, client_session& session, memory_store::job const& work,
                                           bool in_transaction)
{
    auto const number = ++calls_;
    call mine{who, session, work, in_transaction, time_.now() + session.how.read_limit, draw()};
    mine.arrives = time_.now() + mine.luck.request;
    try {
        co_await serve(mine);
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
    auto const place = time_.reserve(std::min(until, mine.give_up));
    co_await time_.rest(place, &mine.who.span(), virtual_time::manner::stubborn);
    if (until > mine.give_up)
        throw gave_up{};
}

// Until the server has an answer to the waiting, with which the call is run again.
awaitable<void> database_server::wait_for_lock(call& mine)
{
    auto const turn = mine.lock->caller;
    bool const called = co_await turn->wait_until(mine.give_up, &mine.who.span(), virtual_time::manner::stubborn);
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
        mine.failure = std::make_exception_ptr(unavailable("database: lost connection during query"));
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
