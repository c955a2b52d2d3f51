#include "libs/lease/clocked_row.hpp"
#include "libs/lease/guard_store.hpp"
#include "libs/storage/database.hpp"
#include "libs/storage/detail.hpp"

#include <atomic>

namespace baton::lease {

namespace {

using storage::row;
using storage::statement;

constexpr int most_grants = 16;

class named_guard final : public guard_store {
public:
    named_guard(storage::database& own, storage::database& other, std::string name_space)
        : own_(own), other_(other), name_space_(std::move(name_space)), words_(own.dialect().named_locks())
    {}

    bool proves_end() const override { return false; }

    awaitable<std::int64_t> take(duration limit) override
    {
        auto const seconds = std::chrono::ceil<std::chrono::seconds>(limit).count();
        auto const work = [&](soci::session& session) { return wait_for_grant(session, seconds); };
        struct waiting {
            std::atomic<std::int64_t>& session;
            ~waiting() { session = 0; }
        } const over{waiting_};
        co_return co_await own_.run(work);
    }

    std::string const& server() const override { return server_; }

    awaitable<void> interrupt() override
    {
        auto const session = waiting_.load();
        if (session == 0)
            co_return;
        auto const work = [&](soci::session& other) {
            statement(other, words_.kill_query, session, words_.kill_end).execute();
        };
        co_await other_.run(work);
    }

    awaitable<void> drop() override
    {
        // A session may hold the lock several times over, after a `take` whose answer was lost.
        auto const work = [this](soci::session& session) {
            for (int times = 0; times < most_grants && answer(session, words_.release, ")") == 1;)
                ++times;
        };
        co_await own_.run(work);
    }

    awaitable<bool> held(std::int64_t grant) override
    {
        auto const work = [&](soci::session& session) {
            std::int64_t holder = 0;
            std::int64_t self = 0;
            statement ask(session);
            ask.column(words_.holder)(words_.name_begin, name_space_, words_.name_end, ")").column(words_.session);
            ask.each([&](row& cells) {
                holder = cells.maybe_number().value_or(0);
                self = cells.number();
            });
            return holder == grant && self == grant;
        };
        co_return co_await own_.run(work);
    }

    awaitable<bool> held_elsewhere(std::int64_t grant) override
    {
        auto const work = [&](soci::session& session) {
            auto const whose = holder(session);
            return whose != 0 && whose != grant;
        };
        co_return co_await other_.run(work);
    }

    awaitable<void> evict() override
    {
        auto const work = [this](soci::session& session) {
            if (auto const ghost = holder(session); ghost != 0)
                statement(session, words_.kill, ghost, words_.kill_end).execute();
        };
        co_await other_.run(work);
    }

    awaitable<guarded_row> poll() override
    {
        auto const work = [this](soci::session& session) { return read(session); };
        auto const found = co_await own_.run(work);
        if (!found)
            throw unavailable("the lock row '" + name_space_ + "' is missing");
        co_return *found;
    }

    awaitable<bool> arm(std::string owner, std::int64_t epoch, duration wait, std::int64_t grant) override
    {
        auto const work = [&](soci::session& session) {
            statement mark(session, "UPDATE `lock` SET guard_conn = ", words_.session,
                           ", guard_server = ", words_.server, ", guard_us = ", wait);
            mark(" WHERE namespace = ", name_space_, " AND owner = ", owner, " AND version = ", epoch);
            holding(mark, grant);
            return mark.execute() == 1;
        };
        co_return co_await own_.run(work);
    }

    awaitable<bool> disarm(std::string owner, std::int64_t epoch) override
    {
        auto const work = [&](soci::session& session) { return clear_guard(session, name_space_, owner, epoch); };
        co_return co_await own_.run(work);
    }

    awaitable<bool> seize(seizure bid, duration wait, std::int64_t grant) override
    {
        auto const work = [&](soci::session& session) {
            statement bump(session, "UPDATE `lock` SET owner = ", bid.owner, ", version = ", bid.new_epoch,
                           ", renew_seq = renew_seq + 1, ttl_us = ", bid.ttl, ", owner_addr = ", bid.address,
                           ", update_time = ", own_.dialect().clock().now);
            bump(", guard_conn = ", words_.session, ", guard_server = ", words_.server, ", guard_us = ", wait);
            bump(" WHERE namespace = ", name_space_, " AND version = ", bid.seen_epoch, " AND ", bid.new_epoch,
                 " > version AND guard_conn <> 0 AND owner <> ", bid.owner, " AND guard_server = ", words_.server);
            holding(bump, grant);
            return bump.execute() == 1;
        };
        co_return co_await own_.run(work);
    }

private:
    // 0 in time, or the number of this session, which now holds the lock.
    std::int64_t wait_for_grant(soci::session& session, std::int64_t seconds)
    {
        auto const number = storage::dialect_of(session).session_number(session);
        waiting_ = number != 0 ? number : self(session);
        try {
            return ask_for_lock(session, seconds);
        } catch (storage::statement_error const& failure) {
            // MySQL answers an interrupted wait with an error, MariaDB with NULL.
            if (failure.why() == storage::statement_error::kind::interrupted)
                return 0;
            throw;
        }
    }

    std::int64_t ask_for_lock(soci::session& session, std::int64_t seconds)
    {
        std::int64_t grant = 0;
        statement ask(session);
        ask.column(words_.get)(words_.name_begin, name_space_, words_.name_end, ", ", seconds, ")");
        ask.column(words_.session).column(words_.server).each([&](row& cells) {
            bool const granted = cells.maybe_number().value_or(0) == 1; // NULL: the wait was interrupted
            auto const self_now = cells.number();
            auto const server_now = cells.text();
            if (granted) {
                grant = self_now;
                server_ = server_now; // read by the loop after the answer
            }
        });
        return grant;
    }

    // The condition that this session, and not a later one of the same number, holds the lock.
    void holding(statement& update, std::int64_t grant)
    {
        update(" AND ", words_.session, " = ", grant, " AND ", words_.holder, words_.name_begin, name_space_,
               words_.name_end, ") = ", words_.session);
    }

    std::int64_t answer(soci::session& session, storage::fragment function, char const (&end)[2])
    {
        std::int64_t found = 0;
        statement ask(session);
        ask.column(function)(words_.name_begin, name_space_, words_.name_end, end);
        ask.each([&](row& cells) { found = cells.maybe_number().value_or(0); });
        return found;
    }

    std::int64_t holder(soci::session& session) { return answer(session, words_.holder, ")"); }

    std::int64_t self(soci::session& session)
    {
        std::int64_t found = 0;
        statement(session).column(words_.session).each([&](row& cells) { found = cells.number(); });
        return found;
    }

    std::optional<guarded_row> read(soci::session& session)
    {
        std::optional<guarded_row> found;
        statement ask(session);
        select_lease(ask, session);
        ask.column(words_.server);
        ask(" FROM `lock` WHERE namespace = ", name_space_);
        ask.each([&](row& cells) {
            auto& seen = found.emplace();
            seen.row = read_lease(cells);
            auto const server = cells.text();
            seen.armed_here = seen.row.guard_conn != 0 && seen.row.guard_server == server;
        });
        return found;
    }

    storage::database& own_;
    storage::database& other_;
    std::string name_space_;
    storage::named_lock_words const& words_;
    std::string server_;
    std::atomic<std::int64_t> waiting_{0}; // the number of the session that waits; set on the session's thread
};

} // namespace

std::unique_ptr<guard_store> make_named_guard(storage::database& own, storage::database& other, std::string name_space)
{
    return std::make_unique<named_guard>(own, other, std::move(name_space));
}

} // namespace baton::lease
