#include "libs/lease/clocked_row.hpp"
#include "libs/lease/guard_store.hpp"
#include "libs/storage/database.hpp"
#include "libs/storage/statement.hpp"

namespace baton::lease {

namespace {

using storage::statement;

constexpr duration between_tries = 20ms; // only a signal could end a blocking flock

// A lock of the kernel in one boot of the host.
struct booted_lock {
    std::unique_ptr<exclusive_lock> file;
    std::string boot;
};

// The kernel releases the lock when the process ends, so a grant proves that the process which armed the row has ended,
// and there is nothing to wait for. `guard_server` is the boot and the file, since another file is another lock.
class file_guard final : public guard_store {
public:
    file_guard(storage::database& own, lease_store& lease, std::string name_space, booted_lock lock, time_source& time)
        : own_(own), lease_(lease), name_space_(std::move(name_space)), lock_(std::move(lock)), time_(time)
    {}

    bool proves_end() const override { return true; }

    awaitable<std::int64_t> take(duration limit) override
    {
        interrupted_ = false;
        for (auto const until = time_.now() + limit;;) {
            if (lock_.file->try_lock()) {
                server_ = lock_.boot + ":" + lock_.file->identity();
                co_return ++grants_;
            }
            if (interrupted_ || time_.now() >= until)
                co_return 0;
            co_await time_.sleep_for(between_tries);
        }
    }

    std::string const& server() const override { return server_; }

    awaitable<void> interrupt() override
    {
        interrupted_ = true;
        co_return;
    }

    awaitable<void> drop() override
    {
        lock_.file->unlock();
        server_.clear();
        co_return;
    }

    awaitable<bool> held(std::int64_t grant) override { co_return lock_.file->locked() && grant == grants_; }
    awaitable<bool> held_elsewhere(std::int64_t) override { co_return false; }
    awaitable<void> evict() override { co_return; } // a dead process holds no lock

    awaitable<guarded_row> poll() override
    {
        guarded_row seen;
        seen.row = co_await lease_.poll();
        seen.armed_here = seen.row.guard_conn != 0 && seen.row.guard_server == server_;
        co_return seen;
    }

    awaitable<bool> arm(std::string owner, std::int64_t epoch, duration, std::int64_t grant) override
    {
        auto const here = server_;
        if (!lock_.file->locked() || grant != grants_)
            co_return false;
        auto const work = [&](soci::session& session) {
            statement mark(session, "UPDATE `lock` SET guard_conn = 1, guard_us = 0, guard_server = ", here);
            mark(" WHERE namespace = ", name_space_, " AND owner = ", owner, " AND version = ", epoch);
            return mark.execute() == 1;
        };
        co_return co_await own_.run(work);
    }

    awaitable<bool> disarm(std::string owner, std::int64_t epoch) override
    {
        auto const work = [&](soci::session& session) { return clear_guard(session, name_space_, owner, epoch); };
        co_return co_await own_.run(work);
    }

    awaitable<bool> seize(seizure bid, duration, std::int64_t grant) override
    {
        auto const now = time_.now().time_since_epoch().count();
        auto const here = server_;
        if (!lock_.file->locked() || grant != grants_)
            co_return false;
        auto const work = [&](soci::session& session) {
            statement bump(session, "UPDATE `lock` SET owner = ", bid.owner, ", version = ", bid.new_epoch,
                           ", renew_seq = renew_seq + 1, ttl_us = ", bid.ttl, ", owner_addr = ", bid.address,
                           ", update_time = ", now, ", boot = ", lock_.boot);
            bump(" WHERE namespace = ", name_space_, " AND version = ", bid.seen_epoch, " AND ", bid.new_epoch,
                 " > version AND guard_conn <> 0 AND owner <> ", bid.owner, " AND guard_server = ", here);
            return bump.execute() == 1;
        };
        co_return co_await own_.run(work);
    }

private:
    storage::database& own_;
    lease_store& lease_;
    std::string name_space_;
    booted_lock lock_;
    time_source& time_;
    std::string server_; // boot and file, while it is locked
    std::int64_t grants_ = 0;
    bool interrupted_ = false;
};

} // namespace

std::unique_ptr<guard_store> make_file_guard(storage::database& own, lease_store& lease, std::string name_space,
                                             std::string file, time_source& time, std::string boot)
{
    auto lock = std::make_unique<file_lock>(std::move(file));
    return make_file_guard(own, lease, std::move(name_space), std::move(lock), time, std::move(boot));
}

std::unique_ptr<guard_store> make_file_guard(storage::database& own, lease_store& lease, std::string name_space,
                                             std::unique_ptr<exclusive_lock> lock, time_source& time, std::string boot)
{
    return std::make_unique<file_guard>(own, lease, std::move(name_space),
                                        booted_lock{std::move(lock), std::move(boot)}, time);
}

} // namespace baton::lease
