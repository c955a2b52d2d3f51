#include "tests/conformance/lock_bench.hpp"

#include "libs/base/process.hpp"
#include "libs/sim/sim.hpp"
#include "tests/support/private_mysql.hpp"

#include <catch2/catch.hpp>
#include <soci/soci.h>

namespace baton::test {

awaitable<void> bench::call(storage::database& where, std::string sql, answer& heard)
{
    auto const work = [&](soci::session& session) {
        answer value = 1;
        auto state = soci::i_ok;
        if (sql.starts_with("SELECT"))
            session << sql, soci::into(value, state);
        else
            session << sql;
        return state == soci::i_ok ? value : null;
    };
    answer result = failed;
    try {
        result = co_await where.run(work);
    } catch (unavailable const&) {
        // failed
    }
    heard = result;
}

namespace {

class mariadb_bench final : public bench {
public:
    explicit mariadb_bench(bool harmed)
        : own_(harmed ? std::make_unique<private_mysql>() : nullptr),
          where_(storage::parse_location((own_ ? own_->url() : mysql_server()) + "/mysql"))
    {
        open("observer");
        is_mariadb_ = ask("observer", "SELECT VERSION() LIKE '%MariaDB%'") == 1;
    }
    ~mariadb_bench() override { close_all(); }

    std::string get(std::string const& lock, int seconds) const override
    {
        return "SELECT GET_LOCK(" + full(lock) + ", " + std::to_string(seconds) + ")";
    }
    std::string release(std::string const& lock) const override { return "SELECT RELEASE_LOCK(" + full(lock) + ")"; }
    std::string holder(std::string const& lock) const override { return "SELECT IS_USED_LOCK(" + full(lock) + ")"; }
    std::string own_id() const override { return "SELECT CONNECTION_ID()"; }
    std::string kill(answer id) const override { return "KILL " + std::to_string(id); }
    std::string kill_query(answer id) const override { return "KILL QUERY " + std::to_string(id); }

    answer interrupted() const override { return is_mariadb_ ? null : failed; }

    void await_waiting(std::string const&, answer id) override
    {
        auto const text = "SELECT COUNT(*) FROM information_schema.processlist WHERE state = 'User lock' AND id = ";
        while (ask("observer", text + std::to_string(id)) != 1)
            pass(1ms);
    }
    void pass(duration span) override
    {
        loop_.restart();
        auto const busy = asio::make_work_guard(loop_);
        loop_.run_for(span);
    }
    void freeze(duration span, std::function<void()> const& meanwhile) override
    {
        own_->suspend();
        meanwhile();
        pass(span);
        own_->resume();
    }
    void crash() override
    {
        own_->kill();
        own_->start();
    }

private:
    std::unique_ptr<storage::database> connect(duration idle_limit) override
    {
        auto made = storage::open_database(where_, {.sessions = 1, .read_limit_s = 20}, time_);
        auto const seconds = std::chrono::duration_cast<std::chrono::seconds>(idle_limit).count();
        auto const limit = "SET SESSION wait_timeout = " + std::to_string(seconds == 0 ? 28'800 : seconds);
        auto const work = [limit](soci::session& session) { session << limit; };
        bool done = false;
        asio::co_spawn(loop_, made->run(work), [&done](std::exception_ptr) { done = true; });
        while (!done)
            pass(1ms);
        return made;
    }
    void spawn(awaitable<void> part) override { asio::co_spawn(loop_, std::move(part), asio::detached); }
    instant now() override { return time_.now(); }

    // Names are the whole server's, which other tests use at the same time.
    static std::string full(std::string const& lock)
    {
        return "'baton_test_" + std::to_string(process_id()) + "_" + lock + "'";
    }

    system_time time_;
    asio::io_context loop_;
    std::unique_ptr<private_mysql> own_;
    storage::location where_;
    bool is_mariadb_ = true;
};

class simulated_bench final : public bench {
public:
    ~simulated_bench() override
    {
        stage_.end();
        close_all(); // while their hosts are still there
    }

    std::string get(std::string const& lock, int seconds) const override
    {
        return "SELECT baton_get_lock('" + lock + "', " + std::to_string(seconds) + ")";
    }
    std::string release(std::string const& lock) const override { return "SELECT baton_release_lock('" + lock + "')"; }
    std::string holder(std::string const& lock) const override { return "SELECT baton_lock_holder('" + lock + "')"; }
    std::string own_id() const override { return "SELECT baton_connection_id()"; }
    std::string kill(answer id) const override { return "SELECT baton_kill(" + std::to_string(id) + ")"; }
    std::string kill_query(answer id) const override { return "SELECT baton_kill_query(" + std::to_string(id) + ")"; }
    answer interrupted() const override { return null; }

    void await_waiting(std::string const& who, answer) override
    {
        pass(100ms);
        REQUIRE(waits(who));
    }
    void pass(duration span) override { stage_.time.run_for(span); }
    void freeze(duration span, std::function<void()> const& meanwhile) override
    {
        stage_.database.freeze_for(span);
        meanwhile();
        pass(span);
    }
    void crash() override
    {
        stage_.database.crash_for(1s);
        pass(1s);
    }

private:
    std::unique_ptr<storage::database> connect(duration idle_limit) override
    {
        return stage_.database.connect(host_, {.sessions = 1, .read_limit = 20s, .idle_limit = idle_limit});
    }
    void spawn(awaitable<void> part) override { host_.spawn(std::move(part)); }
    instant now() override { return stage_.time.now(); }

    sim::stage stage_{3};
    sim::host& host_ = stage_.add_host("a");
};

} // namespace

std::unique_ptr<bench> make_bench(kind which, bool harmed)
{
    if (which == kind::mariadb)
        return std::make_unique<mariadb_bench>(harmed);
    return std::make_unique<simulated_bench>();
}

} // namespace baton::test
