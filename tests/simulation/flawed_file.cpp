#include "tests/simulation/flawed_file.hpp"

#include "libs/storage/statement.hpp"

namespace baton::simulation {

namespace {

// Returns the wall clock's time as boot time.
class wall_time final : public time_source {
public:
    explicit wall_time(time_source& right) : right_(right) {}

    instant now() const override { return instant{right_.utc().time_since_epoch()}; }
    utc_time utc() const override { return right_.utc(); }
    awaitable<void> sleep_until(instant at) override { return right_.sleep_for(at - now()); }

private:
    time_source& right_;
};

class flawed_file_lease final : public lease::lease_store {
public:
    flawed_file_lease(own_files const& mine, file_flaw planted, std::function<void()> trusted)
        : own_(mine.lease),
          time_(mine.time),
          wall_(mine.time),
          boot_(planted == file_flaw::ignores_boot ? "any boot" : mine.boot),
          flaw_(planted),
          trusted_(std::move(trusted)),
          right_(lease::make_boot_lease(mine.lease, "master", clock(), boot_))
    {}

    awaitable<void> ensure() override { return right_->ensure(); }
    awaitable<lease::lease_row> poll() override { return right_->poll(); }

    awaitable<bool> seize(lease::seizure bid) override
    {
        bool ours = false;
        if (flaw_ == file_flaw::seizes_by_version)
            ours = co_await seize_by_version(bid);
        else
            ours = co_await right_->seize(bid);
        if (ours)
            trusted_();
        co_return ours;
    }

    awaitable<bool> renew(std::string owner, std::int64_t epoch) override
    {
        bool const ours = co_await right_->renew(owner, epoch);
        if (ours)
            trusted_();
        co_return ours;
    }

    awaitable<bool> release(std::string owner, std::int64_t epoch) override
    {
        return right_->release(std::move(owner), epoch);
    }

private:
    time_source& clock() { return flaw_ == file_flaw::wall_clock ? wall_ : time_; }

    awaitable<bool> seize_by_version(lease::seizure const& bid)
    {
        auto const now = time_.now().time_since_epoch().count();
        auto const work = [&](soci::session& session) {
            storage::statement bump(session, "UPDATE `lock` SET owner = ", bid.owner, ", version = ", bid.new_epoch,
                                    ", renew_seq = renew_seq + 1, ttl_us = ", bid.ttl, ", update_time = ", now,
                                    ", boot = ", boot_,
                                    ", guard_conn = 0, guard_server = '' WHERE version = ", bid.seen_epoch);
            return bump.execute() == 1;
        };
        co_return co_await own_.run(work);
    }

    storage::database& own_;
    time_source& time_;
    wall_time wall_;
    std::string boot_;
    file_flaw flaw_;
    std::function<void()> trusted_;
    std::unique_ptr<lease::lease_store> right_;
};

class flawed_file_guard final : public lease::guard_store {
public:
    flawed_file_guard(std::unique_ptr<lease::guard_store> right, file_flaw planted)
        : right_(std::move(right)), flaw_(planted)
    {}

    bool proves_end() const override { return right_->proves_end(); }
    awaitable<std::int64_t> take(duration limit) override { return right_->take(limit); }
    std::string const& server() const override { return right_->server(); }
    awaitable<void> interrupt() override { return right_->interrupt(); }
    awaitable<void> drop() override { return right_->drop(); }
    awaitable<bool> held(std::int64_t grant) override { return right_->held(grant); }
    awaitable<bool> held_elsewhere(std::int64_t grant) override { return right_->held_elsewhere(grant); }
    awaitable<void> evict() override { return right_->evict(); }

    awaitable<guarded_row> poll() override
    {
        auto seen = co_await right_->poll();
        if (flaw_ == file_flaw::trusts_any_lock)
            seen.armed_here = true;
        co_return seen;
    }

    awaitable<bool> arm(std::string owner, std::int64_t epoch, duration wait, std::int64_t grant) override
    {
        bool armed = false;
        std::exception_ptr failure;
        try {
            armed = co_await right_->arm(owner, epoch, wait, grant);
        } catch (unavailable const&) {
            failure = std::current_exception();
        }
        co_await look_at(failure);
        co_return armed;
    }

    awaitable<bool> disarm(std::string owner, std::int64_t epoch) override
    {
        return right_->disarm(std::move(owner), epoch);
    }

    awaitable<bool> seize(lease::seizure bid, duration wait, std::int64_t grant) override
    {
        if (flaw_ == file_flaw::trusts_any_lock)
            co_await arm_for_another(grant);
        bool ours = false;
        std::exception_ptr failure;
        try {
            ours = co_await right_->seize(bid, wait, grant);
        } catch (unavailable const&) {
            failure = std::current_exception();
        }
        co_await look_at(failure);
        co_return ours;
    }

private:
    awaitable<void> look_at(std::exception_ptr failure)
    {
        if (!failure)
            co_return;
        if (flaw_ == file_flaw::lets_go_after_failure)
            co_await right_->drop();
        std::rethrow_exception(failure);
    }

    // Arms the guard on behalf of the master, so that the seizure's condition matches.
    awaitable<void> arm_for_another(std::int64_t grant)
    {
        auto const seen = co_await right_->poll();
        auto const holder = seen.row.owner.value_or("");
        co_await right_->arm(holder, seen.row.epoch, 0s, grant);
    }

    std::unique_ptr<lease::guard_store> right_;
    file_flaw flaw_;
};

class nameless_lock final : public exclusive_lock {
public:
    explicit nameless_lock(std::unique_ptr<exclusive_lock> right) : right_(std::move(right)) {}

    bool try_lock() override { return right_->try_lock(); }
    void unlock() override { right_->unlock(); }
    bool locked() const override { return right_->locked(); }
    std::string identity() const override { return "any file"; }

private:
    std::unique_ptr<exclusive_lock> right_;
};

} // namespace

std::unique_ptr<lease::lease_store> make_flawed_file_lease(own_files const& mine, file_flaw planted,
                                                           std::function<void()> trusted)
{
    return std::make_unique<flawed_file_lease>(mine, planted, std::move(trusted));
}

std::unique_ptr<lease::guard_store> make_flawed_file_guard(own_files const& mine, lease::lease_store& lease,
                                                           std::unique_ptr<exclusive_lock> lock, file_flaw planted)
{
    auto const boot = planted == file_flaw::ignores_boot ? "any boot" : mine.boot;
    if (planted == file_flaw::ignores_the_file)
        lock = std::make_unique<nameless_lock>(std::move(lock));
    auto right = lease::make_file_guard(mine.lease, lease, "master", std::move(lock), mine.time, boot);
    return std::make_unique<flawed_file_guard>(std::move(right), planted);
}

} // namespace baton::simulation
