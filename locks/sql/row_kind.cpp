#include "locks/sql/row_kind.hpp"

#include "libs/storage/detail.hpp"
#include "libs/storage/statement.hpp"
#include "locks/sql/tables.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace baton::lock {

namespace {

using storage::row;
using storage::statement;

constexpr duration poll_pause = 20ms;
constexpr duration longest_wait = 1s; // of one statement in the server
// A session with a shorter idle limit is not kept for reuse: a session is checked only after five idle seconds.
constexpr unsigned shortest_kept_s = 6;

unsigned idle_limit_of(duration ttl)
{
    return static_cast<unsigned>(std::chrono::ceil<std::chrono::seconds>(ttl).count());
}

// A session for one lock.
struct row_session {
    std::unique_ptr<storage::database> database; // null: no session
    bool used_before = false;                    // the server may have ended it meanwhile
};

// Keeps idle sessions for reuse, by their idle limit. Any thread.
class session_pool {
public:
    explicit session_pool(row_kind_deps deps) : deps_(std::move(deps)) {}

    // Returns no session if too many are in use.
    row_session take(unsigned idle_s)
    {
        std::unique_ptr<storage::database> closing; // destroyed after the mutex is released
        std::lock_guard const lock(mutex_);
        if (auto const kept = free_.find(idle_s); kept != free_.end()) {
            row_session session{std::move(kept->second), true};
            free_.erase(kept);
            ++used_;
            return session;
        }
        if (used_ >= deps_.most_sessions)
            return {};
        if (used_ + free_.size() >= deps_.most_sessions) {
            closing = std::move(free_.begin()->second);
            free_.erase(free_.begin());
        }
        ++used_;
        return {deps_.open(idle_s)};
    }
    void give_back(unsigned idle_s, row_session session)
    {
        std::lock_guard const lock(mutex_);
        --used_;
        if (idle_s >= shortest_kept_s)
            free_.emplace(idle_s, std::move(session.database));
    }
    // Ends the session and releases what it holds.
    void close(row_session session)
    {
        session.database.reset();
        std::lock_guard const lock(mutex_);
        --used_;
    }

    row_kind_deps const& deps() const { return deps_; }
    std::atomic<bool> checked = false; // the table exists and the server is not Galera

private:
    row_kind_deps deps_;
    std::mutex mutex_; // guards the members below
    std::multimap<unsigned, std::unique_ptr<storage::database>> free_;
    std::size_t used_ = 0;
};

class row_acquisition final : public acquisition {
public:
    row_acquisition(session_pool& pool, acquisition_request request)
        : pool_(pool), request_(std::move(request)), idle_s_(idle_limit_of(request_.ttl))
    {}
    ~row_acquisition() override
    {
        if (session_.database && clean_)
            pool_.give_back(idle_s_, std::move(session_));
        else if (session_.database)
            pool_.close(std::move(session_));
    }

    awaitable<try_result> take() override
    {
        try_result made;
        if (!pool_.checked)
            co_await check();
        if (!session_.database)
            session_ = pool_.take(idle_s_);
        if (!session_.database)
            co_return made;
        bool granted = false;
        if (held_)
            granted = co_await extend(); // granted while this waited; from now on the session must not be silent
        else
            granted = co_await lock(" FOR UPDATE NOWAIT");
        held_ = granted;
        if (granted)
            made.granted = grant{};
        co_return made;
    }

    // Waits in the server's queue. A second at a time, because such a statement cannot be cancelled.
    awaitable<void> await_change(refusal, instant until) override
    {
        auto const now = pool_.deps().time.now();
        if (!session_.database || until - now <= longest_wait) {
            co_await pool_.deps().time.sleep_until(std::min(until, now + poll_pause));
            co_return;
        }
        bool const granted = co_await lock(" FOR UPDATE");
        held_ = granted;
    }

    // The lock ends with its session, so another session cannot renew it.
    awaitable<bool> extend() override
    {
        if (!session_.database)
            co_return false; // released meanwhile
        auto const work = [](soci::session& sql) { statement(sql, "DO 1").execute(); };
        bool answered = false;
        ++extensions_;
        try {
            co_await session_.database->run(work);
            answered = true;
        } catch (storage::session_broken const&) {
        } catch (storage::session_ended const&) {
        }
        --extensions_;
        co_return answered;
    }

    awaitable<bool> release() override
    {
        if (!session_.database)
            co_return false;
        held_ = false;
        clean_ = false;
        auto const work = [](soci::session& sql) { statement(sql, "COMMIT").execute(); };
        try {
            co_await session_.database->run(work);
        } catch (storage::session_ended const&) {
            co_return false;
        }
        clean_ = true;
        // The session goes back now, because a running coroutine may keep this object for longer. It stays here while a
        // renewal uses it.
        if (extensions_ == 0)
            pool_.give_back(idle_s_, std::move(session_));
        co_return true;
    }

private:
    awaitable<void> check()
    {
        co_await storage::check_schema(pool_.deps().shared, lock_tables());
        auto const ask = [](soci::session& sql) { return storage::dialect_of(sql).on_cluster(sql); };
        bool const galera = co_await pool_.deps().shared.run(ask);
        if (galera)
            throw std::system_error(make_error_code(lock_errc::misuse),
                                    "a row lock on Galera locks one node only: use a record or a lease");
        pool_.checked = true;
    }

    // True if the session holds the row now. A reused session may have ended meanwhile and is replaced once.
    awaitable<bool> lock(char const* clause)
    {
        bool const reused = std::exchange(session_.used_before, true);
        std::exception_ptr lost;
        try {
            co_return co_await try_lock(clause);
        } catch (storage::session_broken const&) {
            lost = std::current_exception();
        } catch (storage::session_ended const&) {
            lost = std::current_exception();
        }
        pool_.close(std::move(session_));
        session_ = pool_.take(idle_s_);
        if (!reused || !session_.database)
            std::rethrow_exception(lost);
        co_return co_await try_lock(clause);
    }

    enum class found { held, refused, missing };

    awaitable<bool> try_lock(char const* clause)
    {
        storage::fragment const lock_clause{clause};
        clean_ = false;
        auto const work = [&](soci::session& sql) { return select_row(sql, lock_clause); };
        auto seen = co_await session_.database->run(work);
        if (seen == found::missing) {
            co_await insert();
            seen = co_await session_.database->run(work);
        }
        clean_ = seen != found::held;
        co_return seen == found::held;
    }

    found select_row(soci::session& sql, storage::fragment lock_clause)
    {
        statement(sql, "START TRANSACTION").execute();
        auto seen = found::missing;
        try {
            statement(sql)
                .select("name")(" FROM lock_row WHERE name = ", request_.name, lock_clause)
                .each([&](row& cells) { seen = cells.text().empty() ? found::missing : found::held; });
        } catch (...) {
            auto const failure = storage::database_failure();
            if (!failure || !failure->may_succeed_again())
                throw;
            seen = found::refused;
        }
        if (seen != found::held)
            statement(sql, "ROLLBACK").execute();
        return seen;
    }

    awaitable<void> insert()
    {
        auto const work = [this](soci::session& sql) {
            statement(sql, "INSERT INTO lock_row (name) VALUES (", request_.name, ")").execute();
        };
        try {
            co_await pool_.deps().shared.run(work);
        } catch (storage::already_exists const&) {
            // Another acquisition inserted the row first.
        }
    }

    session_pool& pool_;
    acquisition_request request_;
    unsigned idle_s_;
    row_session session_;
    bool held_ = false;  // by the session, as far as known
    bool clean_ = true;  // the session has no transaction open
    int extensions_ = 0; // under way
};

class row_kind final : public lock_kind {
public:
    explicit row_kind(row_kind_deps deps) : pool_(std::move(deps)) {}

    std::string const& name() const override { return name_; }
    guarantee level() const override { return guarantee::lease; }
    bool on_any_thread() const override { return true; }
    std::unique_ptr<acquisition> make_acquisition(acquisition_request request) override
    {
        return std::make_unique<row_acquisition>(pool_, std::move(request));
    }

private:
    std::string name_ = "row";
    session_pool pool_;
};

} // namespace

std::unique_ptr<lock_kind> make_row_kind(row_kind_deps deps)
{
    return std::make_unique<row_kind>(std::move(deps));
}

} // namespace baton::lock
