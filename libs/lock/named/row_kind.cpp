#include "libs/lock/named/row_kind.hpp"

#include "libs/storage/detail.hpp"
#include "libs/storage/migrations.hpp"
#include "libs/storage/query.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace baton::lock {

namespace {

using storage::query;
using storage::row;

constexpr duration between_looks = 20ms; // for a session to become free

unsigned idle_limit_of(duration ttl)
{
    return static_cast<unsigned>(std::chrono::ceil<std::chrono::seconds>(ttl).count());
}

// Sessions that nobody uses now are kept for the next, by their limit.
class session_pool {
public:
    explicit session_pool(row_parts parts) : parts_(std::move(parts)) {}

    std::unique_ptr<storage::database> take(unsigned idle_s)
    {
        if (auto const kept = free_.find(idle_s); kept != free_.end()) {
            auto one = std::move(kept->second);
            free_.erase(kept);
            ++used_;
            return one;
        }
        if (used_ >= parts_.most_sessions)
            return nullptr;
        if (used_ + free_.size() >= parts_.most_sessions)
            free_.erase(free_.begin());
        ++used_;
        return parts_.open(idle_s);
    }
    void give_back(unsigned idle_s, std::unique_ptr<storage::database> one)
    {
        --used_;
        free_.emplace(idle_s, std::move(one));
    }
    // Its session ends, and what it may hold with it.
    void close(std::unique_ptr<storage::database> one)
    {
        --used_;
        one.reset();
    }

    row_parts const& parts() const { return parts_; }
    bool checked = false; // that the table is there, and that this is no Galera

private:
    row_parts parts_;
    std::multimap<unsigned, std::unique_ptr<storage::database>> free_;
    std::size_t used_ = 0;
};

class row_contender final : public contender {
public:
    row_contender(session_pool& pool, bid offer)
        : pool_(pool), offer_(std::move(offer)), idle_s_(idle_limit_of(offer_.ttl))
    {}
    ~row_contender() override
    {
        if (own_ && session_ != 0)
            pool_.close(std::move(own_));
        else if (own_)
            pool_.give_back(idle_s_, std::move(own_));
    }

    awaitable<attempt> take() override
    {
        attempt made;
        if (!pool_.checked)
            co_await check();
        if (!own_)
            own_ = pool_.take(idle_s_);
        if (!own_)
            co_return made;
        bool const held = session_ != 0 ? co_await extend() : co_await lock(" FOR UPDATE NOWAIT");
        if (held)
            made.granted = grant{};
        else
            session_ = 0;
        co_return made;
    }

    // The server's own queue; a second at a time, since nothing else ends such a wait.
    awaitable<void> await_change(refusal, instant until) override
    {
        if (own_)
            co_await lock(" FOR UPDATE");
        else
            co_await pool_.parts().time.sleep_until(std::min(until, pool_.parts().time.now() + between_looks));
    }

    awaitable<bool> extend() override
    {
        auto const work = [this](soci::session& sql) {
            std::int64_t session = 0;
            query(sql).select("CONNECTION_ID()").each([&](row& cells) { session = cells.number(); });
            return session == session_; // a database replaces a session that has ended
        };
        co_return co_await own_->run(work);
    }

    awaitable<bool> release() override
    {
        if (!own_)
            co_return false;
        auto const work = [this](soci::session& sql) {
            bool const held = storage::session_number(sql) == session_;
            query(sql, "COMMIT").execute();
            return held;
        };
        bool was_held = false;
        try {
            was_held = co_await own_->run(work);
        } catch (unavailable const&) {
            // The session has ended, and its transaction with it.
        }
        session_ = 0;
        co_return was_held;
    }

private:
    awaitable<void> check()
    {
        co_await storage::check_schema(pool_.parts().shared, "locks");
        auto const look = [](soci::session& sql) { return storage::on_galera(sql); };
        bool const galera = co_await pool_.parts().shared.run(look);
        if (galera)
            throw std::system_error(make_error_code(lock_errc::misuse),
                                    "a row lock on Galera locks one node only: use a record or a lease");
        pool_.checked = true;
    }

    // True when this session holds the row now; false when another does.
    awaitable<bool> lock(char const* how)
    {
        storage::fragment const manner{how};
        bool missing = false;
        auto const work = [&](soci::session& sql) {
            query(sql, "START TRANSACTION").execute();
            try {
                missing = true;
                query(sql).select("name")(" FROM lock_row WHERE name = ", offer_.name, manner).each([&](row& cells) {
                    missing = cells.text() != offer_.name;
                });
            } catch (...) {
                missing = false;
                auto const failure = storage::database_failure();
                if (!failure || failure->why() != storage::statement_error::kind::conflict)
                    throw;
                query(sql, "ROLLBACK").execute();
                return false;
            }
            if (missing)
                query(sql, "ROLLBACK").execute();
            else
                session_ = storage::session_number(sql);
            return !missing;
        };
        bool held = co_await own_->run(work);
        if (missing) {
            co_await insert();
            held = co_await own_->run(work);
        }
        co_return held;
    }

    awaitable<void> insert()
    {
        auto const work = [this](soci::session& sql) {
            query(sql, "INSERT INTO lock_row (name) VALUES (", offer_.name, ")").execute();
        };
        try {
            co_await pool_.parts().shared.run(work);
        } catch (storage::already_exists const&) {
            // Another was quicker.
        }
    }

    session_pool& pool_;
    bid offer_;
    unsigned idle_s_;
    std::unique_ptr<storage::database> own_;
    std::int64_t session_ = 0; // that holds the row
};

class row_kind final : public kind {
public:
    explicit row_kind(row_parts parts) : pool_(std::move(parts)) {}

    std::string const& name() const override { return name_; }
    guarantee level() const override { return guarantee::lease; }
    std::unique_ptr<contender> contend(bid offer) override
    {
        return std::make_unique<row_contender>(pool_, std::move(offer));
    }

private:
    std::string name_ = "row";
    session_pool pool_;
};

} // namespace

std::unique_ptr<kind> make_row_kind(row_parts parts)
{
    return std::make_unique<row_kind>(std::move(parts));
}

} // namespace baton::lock
