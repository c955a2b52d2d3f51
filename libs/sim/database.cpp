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

struct database_server::call {
    enum class phase { not_sent, on_its_way, begun, done };

    host& who;
    memory_store::job const& work;
    bool in_transaction;
    instant give_up;
    fate luck;
    instant arrives{};
    phase at = phase::not_sent;
    utc_time begun{};          // the server's clock at the start of the statement
    instant executes{};        // when it has stalled enough
    std::uint64_t crashes = 0; // of the server, before it arrived
    std::exception_ptr failure{};
};

// What a process has: some sessions, and a queue before them.
class database_server::session_pool final : public storage::database {
public:
    session_pool(database_server& server, host& who, connection how)
        : server_(server), who_(who), how_(how), free_(how.sessions)
    {}

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
        ~held_session() { pool.give_back(); }
    };

    awaitable<void> use_session(job const& work, bool in_transaction)
    {
        if (free_ > 0) {
            --free_;
        } else {
            auto const turn = std::make_shared<bell>(server_.time_);
            queue_.push_back(turn);
            co_await turn->wait_until(instant::max(), &who_.span(), virtual_time::manner::stubborn);
        }
        held_session const mine{*this};
        if (!who_.alive())
            throw boost::system::system_error(asio::error::operation_aborted);
        co_await server_.carry_out(who_, how_.read_limit, work, in_transaction);
    }

    void give_back()
    {
        if (queue_.empty()) {
            ++free_;
            return;
        }
        auto const next = queue_.front();
        queue_.pop_front();
        next->ring();
    }

    database_server& server_;
    host& who_;
    connection how_;
    std::size_t free_;
    std::deque<std::shared_ptr<bell>> queue_;
};

class database_server::plain final : public storage::database {
public:
    explicit plain(database_server& server) : server_(server) {}
    storage::engine engine() const override { return storage::engine::sqlite; }

protected:
    awaitable<void> execute(job const& work, bool in_transaction) override
    {
        server_.store_.run(work, in_transaction, server_.utc());
        co_return;
    }

private:
    database_server& server_;
};

database_server::database_server(asio::io_context& loop, virtual_time& time, trace& log, std::uint64_t seed)
    : loop_(loop), time_(time), log_(log), random_(seed)
{}

database_server::~database_server() = default;

std::unique_ptr<storage::database> database_server::connect(host& who, connection how)
{
    return std::make_unique<session_pool>(*this, who, how);
}

std::unique_ptr<storage::database> database_server::direct()
{
    return std::make_unique<plain>(*this);
}

void database_server::inspect(std::function<void(soci::session&)> const& look)
{
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
    if (parted_.erase(host_name) != 0)
        log_.note(host_name + " reaches the database again");
}

duration database_server::between(duration least, duration most)
{
    auto const width = static_cast<std::uint64_t>((most - least).count());
    return least + duration{static_cast<std::int64_t>(random_.below(width + 1))};
}

duration database_server::way()
{
    auto const usual = between(faults.quickest, faults.slowest);
    bool const hindered = random_.fraction() < faults.hurdle;
    auto const more = between(0us, faults.hurdle_most);
    return hindered ? usual + more : usual;
}

database_server::fate database_server::draw()
{
    fate luck;
    luck.request = way();
    luck.reply = way();
    bool const stalls = random_.fraction() < faults.stall;
    auto const stall = between(faults.stall_least, faults.stall_most);
    luck.stall = stalls ? stall : 0us;
    luck.request_lost = random_.fraction() < faults.lose_request;
    luck.reply_lost = random_.fraction() < faults.lose_reply;
    luck.deadlock = random_.fraction() < faults.deadlock;
    luck.committed = random_.below(2) == 0;
    return luck;
}

awaitable<void> database_server::carry_out(host& who, duration read_limit, memory_store::job const& work,
                                           bool in_transaction)
{
    auto const number = ++calls_;
    call mine{who, work, in_transaction, time_.now() + read_limit, draw()};
    mine.arrives = time_.now() + mine.luck.request;
    try {
        co_await serve(mine);
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
    co_await wait(mine, mine.arrives);
    if (time_.now() < down_until_) {
        mine.at = call::phase::done;
        mine.failure = std::make_exception_ptr(unavailable("database: connection refused"));
        co_await wait(mine, time_.now() + mine.luck.reply);
        co_return;
    }
    mine.crashes = crashes_;
    co_await thaw(mine);
    mine.begun = utc();
    mine.executes = time_.now() + mine.luck.stall;
    mine.at = call::phase::begun;
    if (mine.luck.stall > 0us)
        co_await wait(mine, mine.executes);
    co_await thaw(mine);
    mine.at = call::phase::done;
    execute(mine);
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

void database_server::execute(call& mine)
{
    if (crashes_ != mine.crashes) {
        mine.failure = std::make_exception_ptr(unavailable("database: lost connection during query"));
        return;
    }
    if (mine.in_transaction && mine.luck.deadlock)
        store_.run_and_lose(mine.work, mine.begun);
    try {
        store_.run(mine.work, mine.in_transaction, mine.begun);
    } catch (...) {
        mine.failure = std::current_exception(); // it travels back like any answer
    }
}

// The caller has gone while its statement was on its way to the server or in its hands.
void database_server::leave_behind(call& mine)
{
    if (mine.at == call::phase::not_sent || mine.at == call::phase::done)
        return;
    bool const begun = mine.at == call::phase::begun;
    if (mine.in_transaction) {
        // Not even begun: the server finds the connection closed and rolls back.
        if (begun && mine.luck.committed && time_.now() >= frozen_until_) {
            execute(mine);
            ++left_behind_;
            log_.note("a transaction of " + mine.who.name() + " is committed for nobody");
        }
        return;
    }
    auto const text = store_.first_statement(mine.work, utc());
    if (text.empty())
        return;
    auto const begun_at = begun ? std::optional(mine.begun) : std::nullopt;
    auto const at = begun ? mine.executes : mine.arrives;
    auto rest = finish_alone(text, at, begun_at, mine.who.name());
    asio::co_spawn(loop_, std::move(rest), asio::detached);
}

awaitable<void> database_server::finish_alone(std::string text, instant at, std::optional<utc_time> begun,
                                              std::string whose)
{
    auto const crashes = crashes_;
    auto const stubborn = virtual_time::manner::stubborn;
    do {
        auto const place = time_.reserve(std::max(at, frozen_until_));
        co_await time_.rest(place, nullptr, stubborn);
    } while (time_.now() < frozen_until_);
    if (crashes_ != crashes || time_.now() < down_until_)
        co_return;
    int const rows = store_.replay(text, begun.value_or(utc()));
    ++left_behind_;
    log_.note(fmt::format("a statement of {} executes for nobody: {} rows", whose, rows));
}

} // namespace baton::sim
