#include "libs/sim/database.hpp"

#include "libs/sim/database_call.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/error.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <deque>

namespace baton::sim {

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

} // namespace baton::sim
