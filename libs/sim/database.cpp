#include "libs/sim/database.hpp"

#include "libs/sim/database_call.hpp"
#include "libs/sim/random_between.hpp"
#include "libs/storage/dialect.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/error.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <deque>

namespace baton::sim {

// The connection of one process: its sessions and a queue of calls that wait for a free one.
class database_server::session_pool final : public storage::database {
public:
    session_pool(database_server& server, host& client, connection settings)
        : server_(server), client_(client), sessions_(settings.sessions, client_session{settings})
    {
        for (auto& one : sessions_)
            free_.push_back(&one);
    }
    ~session_pool() override
    {
        for (auto const& one : sessions_)
            if (client_.alive())
                server_.hang_up(one.on_server);
    }

    storage::dialect const& dialect() const override { return storage::dialect_of(storage::engine::sqlite); }
    bool shared_clock() const override { return true; }

protected:
    awaitable<void> execute(job const& work, bool in_transaction) override
    {
        // A separate coroutine, session the caller's cancellation does not reach.
        auto course = use_session(work, in_transaction);
        auto token = asio::bind_cancellation_slot(asio::cancellation_slot(), asio::use_awaitable);
        co_await asio::co_spawn(server_.env_.loop, std::move(course), token);
    }

private:
    struct held_session {
        session_pool& pool;
        client_session& session;
        ~held_session() { pool.give_back(session); }
    };
    struct turn {
        explicit turn(virtual_time& time) : called(time) {}
        event called;
        client_session* session = nullptr;
    };

    awaitable<void> use_session(job const& work, bool in_transaction)
    {
        client_session* session = nullptr;
        if (!free_.empty()) {
            session = free_.back();
            free_.pop_back();
        } else {
            auto const mine = std::make_shared<turn>(server_.env_.time);
            queue_.push_back(mine);
            co_await mine->called.wait_until(instant::max(), &client_.span(), virtual_time::sleep_kind::uncancellable);
            session = mine->session;
        }
        held_session const mine{*this, *session};
        if (!client_.alive())
            throw boost::system::system_error(asio::error::operation_aborted);
        co_await server_.carry_out(client_, *session, work, in_transaction);
    }

    void give_back(client_session& session)
    {
        if (queue_.empty()) {
            free_.push_back(&session);
            return;
        }
        auto const next = queue_.front();
        queue_.pop_front();
        next->session = &session;
        next->called.set();
    }

    database_server& server_;
    host& client_;
    std::vector<client_session> sessions_;
    std::vector<client_session*> free_;
    std::deque<std::shared_ptr<turn>> queue_;
};

class database_server::plain final : public storage::database {
public:
    explicit plain(database_server& server) : server_(server) {}
    storage::dialect const& dialect() const override { return storage::dialect_of(storage::engine::sqlite); }

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

database_server::database_server(environment env, std::uint64_t seed)
    : env_(env),
      random_(seed),
      endings_(~seed),
      sessions_([this](lock_wait& wait) { wait_over(wait); }),
      store_(sessions_)
{}

database_server::~database_server() = default;

std::unique_ptr<storage::database> database_server::connect(host& client, connection settings)
{
    client.when_killed([this, &client] { hang_up(client); });
    return std::make_unique<session_pool>(*this, client, settings);
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

void database_server::copy_tables(database_server& from)
{
    store_.copy(from.store_);
}

void database_server::step_clock(duration by)
{
    clock_offset_ += by;
    env_.log.note(fmt::format("the database clock steps by {} us", by.count()));
}

void database_server::freeze_for(duration span)
{
    frozen_until_ = std::max(frozen_until_, env_.time.now() + span);
    env_.log.note(fmt::format("the database freezes for {} us", span.count()));
}

void database_server::crash_for(duration span)
{
    ++crashes_;
    sessions_.end_all();
    down_until_ = std::max(down_until_, env_.time.now() + span);
    env_.log.note(fmt::format("the database is down for {} us", span.count()));
}

void database_server::partition(std::string const& host_name)
{
    partitioned_.insert(host_name);
    env_.log.note(host_name + " is partitioned from the database");
}

void database_server::heal(std::string const& host_name)
{
    if (partitioned_.erase(host_name) == 0)
        return;
    env_.log.note(host_name + " reaches the database again");
    for (auto const& session : sessions_.all())
        if (session->cut_off && session->host_name == host_name) {
            session->cut_off = false;
            asio::co_spawn(env_.loop, deliver_close(session), asio::detached);
        }
}

duration database_server::latency(random_source& random)
{
    auto const usual = random_between(random, faults.min_latency, faults.max_latency);
    bool const hindered = random.fraction() < faults.spike;
    auto const more = random_between(random, 0us, faults.spike_max);
    return hindered ? usual + more : usual;
}

database_server::drawn_faults database_server::draw()
{
    drawn_faults drawn;
    drawn.request = latency(random_);
    drawn.reply = latency(random_);
    bool const stalls = random_.fraction() < faults.stall;
    auto const stall = random_between(random_, faults.stall_min, faults.stall_max);
    drawn.stall = stalls ? stall : 0us;
    drawn.request_lost = random_.fraction() < faults.lose_request;
    drawn.reply_lost = random_.fraction() < faults.lose_reply;
    drawn.deadlock = random_.fraction() < faults.deadlock;
    drawn.committed = random_.below(2) == 0;
    return drawn;
}

} // namespace baton::sim
