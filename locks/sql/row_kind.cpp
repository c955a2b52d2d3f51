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

constexpr duration between_looks = 20ms;
constexpr duration longest_wait = 1s; // of one statement for the row
// A session that the server ends sooner is not kept: whether it still lives is looked at after five seconds only.
constexpr unsigned shortest_kept_s = 6;

unsigned idle_limit_of(duration ttl)
{
    return static_cast<unsigned>(std::chrono::ceil<std::chrono::seconds>(ttl).count());
}

// A session of one lock, or of none for now.
struct row_session {
    std::unique_ptr<storage::database> on;
    bool used_before = false; // so it may have ended meanwhile
};

// Sessions that nobody uses now are kept for the next, by their limit. Any thread.
class session_pool {
public:
    explicit session_pool(row_parts parts) : parts_(std::move(parts)) {}

    // Without a session when there are too many.
    row_session take(unsigned idle_s)
    {
        std::unique_ptr<storage::database> other; // ends without the mutex
        std::lock_guard const lock(mutex_);
        if (auto const kept = free_.find(idle_s); kept != free_.end()) {
            row_session one{std::move(kept->second), true};
            free_.erase(kept);
            ++used_;
            return one;
        }
        if (used_ >= parts_.most_sessions)
            return {};
        if (used_ + free_.size() >= parts_.most_sessions) {
            other = std::move(free_.begin()->second);
            free_.erase(free_.begin());
        }
        ++used_;
        return {parts_.open(idle_s)};
    }
    void give_back(unsigned idle_s, row_session one)
    {
        std::lock_guard const lock(mutex_);
        --used_;
        if (idle_s >= shortest_kept_s)
            free_.emplace(idle_s, std::move(one.on));
    }
    // It ends, and what it may hold with it.
    void close(row_session one)
    {
        one.on.reset();
        std::lock_guard const lock(mutex_);
        --used_;
    }

    row_parts const& parts() const { return parts_; }
    std::atomic<bool> checked = false; // that the table is there, and that this is no Galera

private:
    row_parts parts_;
    std::mutex mutex_; // of what follows
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
        if (own_.on && clean_)
            pool_.give_back(idle_s_, std::move(own_));
        else if (own_.on)
            pool_.close(std::move(own_));
    }

    awaitable<try_result> take() override
    {
        try_result made;
        if (!pool_.checked)
            co_await check();
        if (!own_.on)
            own_ = pool_.take(idle_s_);
        if (!own_.on)
            co_return made;
        bool granted = false;
        if (held_)
            granted = co_await extend(); // it came while this waited; the server must hear of it from now on
        else
            granted = co_await lock(" FOR UPDATE NOWAIT");
        held_ = granted;
        if (granted)
            made.granted = grant{};
        co_return made;
    }

    // The server's own queue; a second at a time, since nothing else ends such a wait.
    awaitable<void> await_change(refusal, instant until) override
    {
        auto const now = pool_.parts().time.now();
        if (!own_.on || until - now <= longest_wait) {
            co_await pool_.parts().time.sleep_until(std::min(until, now + between_looks));
            co_return;
        }
        bool const granted = co_await lock(" FOR UPDATE");
        held_ = granted;
    }

    // What a session holds is over with it, and it is not replaced by another.
    awaitable<bool> extend() override
    {
        auto const work = [](soci::session& sql) { statement(sql, "DO 1").execute(); };
        try {
            co_await own_.on->run(work);
            co_return true;
        } catch (storage::session_broken const&) {
        } catch (storage::session_ended const&) {
        }
        co_return false;
    }

    awaitable<bool> release() override
    {
        if (!own_.on)
            co_return false;
        held_ = false;
        clean_ = false;
        auto const work = [](soci::session& sql) { statement(sql, "COMMIT").execute(); };
        try {
            co_await own_.on->run(work);
        } catch (storage::session_ended const&) {
            co_return false;
        }
        clean_ = true;
        co_return true;
    }

private:
    awaitable<void> check()
    {
        co_await storage::check_schema(pool_.parts().shared, lock_tables());
        auto const look = [](soci::session& sql) { return storage::dialect_of(sql).on_cluster(sql); };
        bool const galera = co_await pool_.parts().shared.run(look);
        if (galera)
            throw std::system_error(make_error_code(lock_errc::misuse),
                                    "a row lock on Galera locks one node only: use a record or a lease");
        pool_.checked = true;
    }

    // True when the session holds the row now; false when another does. One that was kept may have ended meanwhile.
    awaitable<bool> lock(char const* how)
    {
        bool const again = std::exchange(own_.used_before, true);
        std::exception_ptr lost;
        try {
            co_return co_await try_lock(how);
        } catch (storage::session_broken const&) {
            lost = std::current_exception();
        } catch (storage::session_ended const&) {
            lost = std::current_exception();
        }
        pool_.close(std::move(own_));
        own_ = pool_.take(idle_s_);
        if (!again || !own_.on)
            std::rethrow_exception(lost);
        co_return co_await try_lock(how);
    }

    enum class found { held, refused, missing };

    awaitable<bool> try_lock(char const* how)
    {
        storage::fragment const manner{how};
        clean_ = false;
        auto const work = [&](soci::session& sql) { return look(sql, manner); };
        auto seen = co_await own_.on->run(work);
        if (seen == found::missing) {
            co_await insert();
            seen = co_await own_.on->run(work);
        }
        clean_ = seen != found::held; // else a transaction is open
        co_return seen == found::held;
    }

    found look(soci::session& sql, storage::fragment manner)
    {
        statement(sql, "START TRANSACTION").execute();
        auto seen = found::missing;
        try {
            statement(sql).select("name")(" FROM lock_row WHERE name = ", request_.name, manner).each([&](row& cells) {
                seen = cells.text().empty() ? found::missing : found::held;
            });
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
            co_await pool_.parts().shared.run(work);
        } catch (storage::already_exists const&) {
            // Another was quicker.
        }
    }

    session_pool& pool_;
    acquisition_request request_;
    unsigned idle_s_;
    row_session own_;
    bool held_ = false; // by the session, as far as is known
    bool clean_ = true; // the session has no transaction open
};

class row_kind final : public lock_kind {
public:
    explicit row_kind(row_parts parts) : pool_(std::move(parts)) {}

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

std::unique_ptr<lock_kind> make_row_kind(row_parts parts)
{
    return std::make_unique<row_kind>(std::move(parts));
}

} // namespace baton::lock
