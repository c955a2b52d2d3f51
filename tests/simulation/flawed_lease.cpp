#include "tests/simulation/flawed_lease.hpp"

#include <soci/soci.h>

namespace baton::simulation {

namespace {

class flawed_lease final : public lease::lease_store {
public:
    flawed_lease(std::unique_ptr<lease::lease_store> right, storage::database& own, std::string self, flaw planted,
                 std::function<void()> trusted)
        : right_(std::move(right)), own_(own), self_(std::move(self)), flaw_(planted), trusted_(std::move(trusted))
    {}

    awaitable<void> ensure() override { return right_->ensure(); }

    awaitable<lease::lease_row> poll() override
    {
        auto row = co_await right_->poll();
        if (flaw_ == flaw::trusts_database_clock && row.owner != self_)
            row.ttl = 1us; // makes any time of watching sufficient
        co_return row;
    }

    awaitable<bool> seize(lease::seizure bid) override
    {
        bool ours = false;
        if (flaw_ == flaw::seizes_by_version_only)
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
    awaitable<bool> seize_by_version(lease::seizure const& bid)
    {
        auto const work = [&](soci::session& sql) {
            auto const ttl = static_cast<long long>(bid.ttl.count());
            auto const epoch = static_cast<long long>(bid.new_epoch);
            auto const seen = static_cast<long long>(bid.seen_epoch);
            soci::statement seizure =
                (sql.prepare << "UPDATE `lock` SET owner = :o, version = :e, ttl_us = :t, renew_seq = renew_seq + 1, "
                                "update_time = baton_now_us() WHERE version = :s",
                 soci::use(bid.owner), soci::use(epoch), soci::use(ttl), soci::use(seen));
            seizure.execute(true);
            return seizure.get_affected_rows() == 1;
        };
        co_return co_await own_.run(work);
    }

    std::unique_ptr<lease::lease_store> right_;
    storage::database& own_;
    std::string self_;
    flaw flaw_;
    std::function<void()> trusted_;
};

class flawed_guard final : public lease::guard_store {
public:
    flawed_guard(std::unique_ptr<lease::guard_store> right, flaw planted, std::function<void()> pinged)
        : right_(std::move(right)), flaw_(planted), pinged_(std::move(pinged))
    {}

    bool proves_end() const override { return right_->proves_end(); }
    awaitable<std::int64_t> take(duration limit) override { return right_->take(limit); }
    std::string const& server() const override { return right_->server(); }
    awaitable<void> interrupt() override { return right_->interrupt(); }
    awaitable<void> drop() override { return right_->drop(); }
    awaitable<bool> held_elsewhere(std::int64_t grant) override { return right_->held_elsewhere(grant); }
    awaitable<void> evict() override { return right_->evict(); }

    awaitable<bool> held(std::int64_t grant) override
    {
        bool const held = co_await right_->held(grant);
        if (held)
            pinged_();
        co_return held;
    }

    awaitable<guarded_row> poll() override
    {
        auto seen = co_await right_->poll();
        if (flaw_ == flaw::succeeds_at_once && seen.row.guard > 0s)
            seen.row.guard = 1us;
        co_return seen;
    }

    awaitable<bool> arm(std::string owner, std::int64_t epoch, duration wait, std::int64_t grant) override
    {
        bool const armed = co_await right_->arm(owner, epoch, wait, grant);
        if (armed)
            pinged_();
        co_return armed;
    }

    awaitable<bool> disarm(std::string owner, std::int64_t epoch) override
    {
        return right_->disarm(std::move(owner), epoch);
    }

    awaitable<bool> seize(lease::seizure bid, duration wait, std::int64_t grant) override
    {
        bool const ours = co_await right_->seize(bid, wait, grant);
        if (ours)
            pinged_();
        co_return ours;
    }

private:
    std::unique_ptr<lease::guard_store> right_;
    flaw flaw_;
    std::function<void()> pinged_;
};

} // namespace

std::unique_ptr<lease::guard_store> make_flawed_guard(storage::database& own, storage::database& other, flaw planted,
                                                      std::function<void()> pinged)
{
    auto right = lease::make_named_guard(own, other, "master");
    return std::make_unique<flawed_guard>(std::move(right), planted, std::move(pinged));
}

std::unique_ptr<lease::lease_store> make_flawed_lease(storage::database& own, std::string self, flaw planted,
                                                      std::function<void()> trusted)
{
    auto right = lease::make_clocked_lease(own, "master");
    return std::make_unique<flawed_lease>(std::move(right), own, std::move(self), planted, std::move(trusted));
}

} // namespace baton::simulation
