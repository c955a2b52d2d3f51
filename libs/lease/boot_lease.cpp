#include "libs/lease/clocked_row.hpp"
#include "libs/lease/lease_store.hpp"
#include "libs/storage/database.hpp"
#include "libs/storage/statement.hpp"

namespace baton::lease {

namespace {

using storage::row;
using storage::statement;

// Each method reads the clock before it sends the statement, so that a wait for the file can only make a renewal look
// older than it is. A server does the same: its clock is frozen when the statement starts.
class boot_lease final : public lease_store {
public:
    boot_lease(storage::database& own, std::string name_space, time_source& time, std::string boot)
        : own_(own), name_space_(std::move(name_space)), time_(time), boot_(std::move(boot))
    {}

    awaitable<void> ensure() override
    {
        auto const now = micros();
        auto const work = [&](soci::session& session) {
            statement(session, "INSERT INTO `lock` (namespace, owner, version, create_time, update_time, boot) SELECT ",
                      name_space_, ", NULL, 1, ", to_micros(time_.utc()), ", ", now, ", ", boot_,
                      " WHERE NOT EXISTS (SELECT 1 FROM `lock` WHERE namespace = ", name_space_, ")")
                .execute();
        };
        co_await own_.run(work);
    }

    awaitable<lease_row> poll() override
    {
        auto const now = micros();
        auto const utc = time_.utc();
        auto const work = [&](soci::session& session) { return read(session, now); };
        auto found = co_await own_.run(work);
        if (!found)
            throw unavailable("the lock row '" + name_space_ + "' is missing");
        found->utc = utc;
        co_return *found;
    }

    awaitable<bool> seize(seizure bid) override
    {
        auto const now = micros();
        auto const work = [&](soci::session& session) {
            statement bump(session, "UPDATE `lock` SET owner = ", bid.owner, ", version = ", bid.new_epoch,
                           ", renew_seq = renew_seq + 1, ttl_us = ", bid.ttl, ", owner_addr = ", bid.address,
                           ", update_time = ", now, ", boot = ", boot_,
                           ", guard_conn = 0, guard_server = '', guard_us = 0");
            bump(" WHERE namespace = ", name_space_, " AND version = ", bid.seen_epoch,
                 " AND renew_seq = ", bid.seen_seq, " AND ", bid.new_epoch, " > version AND (owner IS NULL OR boot <> ",
                 boot_, " OR ", now, " - update_time >= ttl_us)");
            return bump.execute() == 1;
        };
        co_return co_await own_.run(work);
    }

    awaitable<bool> renew(std::string owner, std::int64_t epoch) override
    {
        auto const now = micros();
        auto const work = [&](soci::session& session) {
            statement extend(session, "UPDATE `lock` SET update_time = ", now, ", renew_seq = renew_seq + 1");
            extend(" WHERE namespace = ", name_space_, " AND owner = ", owner, " AND version = ", epoch,
                   " AND boot = ", boot_, " AND ", now, " - update_time < ttl_us");
            return extend.execute() == 1;
        };
        co_return co_await own_.run(work);
    }

    awaitable<bool> release(std::string owner, std::int64_t epoch) override
    {
        auto const now = micros();
        auto const work = [&](soci::session& session) {
            statement free(session, "UPDATE `lock` SET owner = NULL, renew_seq = renew_seq + 1, update_time = ", now,
                           ", guard_conn = 0, guard_server = '', guard_us = 0");
            free(" WHERE namespace = ", name_space_, " AND owner = ", owner, " AND version = ", epoch);
            return free.execute() == 1;
        };
        co_return co_await own_.run(work);
    }

private:
    std::int64_t micros() const { return time_.now().time_since_epoch().count(); }

    std::optional<lease_row> read(soci::session& session, std::int64_t now)
    {
        std::optional<lease_row> found;
        statement ask(session);
        select_holder(ask);
        ask.column({"boot"}).column({"update_time"});
        ask(" FROM `lock` WHERE namespace = ", name_space_);
        ask.each([&](row& cells) {
            auto& lease = found.emplace(read_holder(cells));
            bool const this_boot = cells.text() == boot_;
            // Microseconds of another boot cannot be compared, but that boot has ended, and its holder with it.
            auto const age = duration{now - cells.number()};
            lease.dated = this_boot;
            lease.age = this_boot ? age : lease.ttl;
            lease.expired = !lease.owner || lease.age >= lease.ttl;
        });
        return found;
    }

    storage::database& own_;
    std::string name_space_;
    time_source& time_;
    std::string boot_;
};

} // namespace

std::unique_ptr<lease_store> make_boot_lease(storage::database& own, std::string name_space, time_source& time,
                                             std::string boot)
{
    return std::make_unique<boot_lease>(own, std::move(name_space), time, std::move(boot));
}

} // namespace baton::lease
