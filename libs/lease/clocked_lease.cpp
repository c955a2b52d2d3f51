#include "libs/lease/clocked_row.hpp"
#include "libs/lease/lease_store.hpp"
#include "libs/protocol/term_id.hpp"
#include "libs/storage/database.hpp"
#include "libs/storage/statement.hpp"

namespace baton::lease {

namespace {

using storage::row;
using storage::statement;

// All statements are single-row, by key, and autocommit, so they take no gap locks and cannot deadlock.
class clocked_lease final : public lease_store {
public:
    clocked_lease(storage::database& own, std::string name_space)
        : own_(own), name_space_(std::move(name_space)), clock_(own.dialect().clock())
    {}

    awaitable<void> ensure() override
    {
        std::optional<std::int64_t> id = protocol::first_namespace;
        auto const work = [&](soci::session& session) { insert_if_absent(session, id); };
        try {
            co_await own_.run(work);
            co_return;
        } catch (storage::already_exists const&) {
            id.reset(); // the id is another namespace's, or another node has inserted the row
        }
        try {
            co_await own_.run(work);
        } catch (storage::already_exists const&) {
            // Another node has inserted it.
        }
    }

    awaitable<lease_row> poll() override
    {
        auto const work = [this](soci::session& session) { return read(session); };
        auto const found = co_await own_.run(work);
        if (!found)
            throw unavailable("the lock row '" + name_space_ + "' is missing");
        co_return *found;
    }

    awaitable<bool> seize(seizure bid) override
    {
        auto const work = [&](soci::session& session) {
            // WHERE sees the row as it was, so this ttl_us is that of the present holder.
            statement bump(session, "UPDATE `lock` SET owner = ", bid.owner, ", version = ", bid.new_epoch,
                           ", renew_seq = renew_seq + 1, ttl_us = ", bid.ttl, ", owner_addr = ", bid.address,
                           ", update_time = ", clock_.now, ", guard_conn = 0, guard_server = '', guard_us = 0");
            bump(" WHERE namespace = ", name_space_, " AND version = ", bid.seen_epoch,
                 " AND renew_seq = ", bid.seen_seq, " AND ", bid.new_epoch, " > version AND (owner IS NULL OR ",
                 clock_.age, " >= ttl_us)");
            return bump.execute() == 1;
        };
        co_return co_await own_.run(work);
    }

    awaitable<bool> renew(std::string owner, std::int64_t epoch) override
    {
        auto const work = [&](soci::session& session) {
            statement extend(session, "UPDATE `lock` SET update_time = ", clock_.now, ", renew_seq = renew_seq + 1");
            extend(" WHERE namespace = ", name_space_, " AND owner = ", owner, " AND version = ", epoch, " AND ",
                   clock_.age, " < ttl_us");
            return extend.execute() == 1;
        };
        co_return co_await own_.run(work);
    }

    awaitable<bool> release(std::string owner, std::int64_t epoch) override
    {
        auto const work = [&](soci::session& session) {
            statement free(session,
                           "UPDATE `lock` SET owner = NULL, renew_seq = renew_seq + 1, update_time = ", clock_.now,
                           ", guard_conn = 0, guard_server = '', guard_us = 0");
            free(" WHERE namespace = ", name_space_, " AND owner = ", owner, " AND version = ", epoch);
            return free.execute() == 1;
        };
        co_return co_await own_.run(work);
    }

private:
    // Without an id the database chooses one.
    void insert_if_absent(soci::session& session, std::optional<std::int64_t> id)
    {
        // The no-op also proves that the database counts matched rows, not changed ones. All conditions here rely on
        // it.
        if (touch(session))
            return;
        if (read(session)) { // or another node made the row just now
            if (touch(session))
                return;
            throw unavailable("the database, or a proxy before it, does not count matched rows");
        }
        statement(session, "INSERT INTO `lock` (id, namespace, owner, version, create_time, update_time) VALUES (", id,
                  ", ", name_space_, ", NULL, 1, ", clock_.now, ", ", clock_.now, ")")
            .execute();
    }

    bool touch(soci::session& session)
    {
        return statement(session, "UPDATE `lock` SET namespace = namespace WHERE namespace = ", name_space_)
                   .execute() == 1;
    }

    std::optional<lease_row> read(soci::session& session)
    {
        std::optional<lease_row> found;
        statement ask(session);
        select_lease(ask, session);
        ask(" FROM `lock` WHERE namespace = ", name_space_);
        ask.each([&](row& cells) { found = read_lease(cells); });
        return found;
    }

    storage::database& own_;
    std::string name_space_;
    storage::lock_clock const& clock_;
};

} // namespace

std::unique_ptr<lease_store> make_clocked_lease(storage::database& own, std::string name_space)
{
    return std::make_unique<clocked_lease>(own, std::move(name_space));
}

} // namespace baton::lease
