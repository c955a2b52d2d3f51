#include "tests/simulation/flawed_lease.hpp"

#include <soci/soci.h>

namespace baton::simulation {

namespace {

// The lease with the flaws that lie in its use.
class flawed_lease final : public lock::lease_store {
public:
    flawed_lease(std::unique_ptr<lock::lease_store> right, storage::database& own, std::string self, flaw what,
                 std::function<void()> trusted)
        : right_(std::move(right)), own_(own), self_(std::move(self)), flaw_(what), trusted_(std::move(trusted))
    {}

    awaitable<void> ensure() override { return right_->ensure(); }

    awaitable<lock::lease_row> poll() override
    {
        auto row = co_await right_->poll();
        if (flaw_ == flaw::trusts_database_clock && row.owner != self_)
            row.ttl = 1us; // so that any watching is enough
        co_return row;
    }

    awaitable<bool> seize(lock::seizure bid) override
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
    awaitable<bool> seize_by_version(lock::seizure const& bid)
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

    std::unique_ptr<lock::lease_store> right_;
    storage::database& own_;
    std::string self_;
    flaw flaw_;
    std::function<void()> trusted_;
};

} // namespace

std::unique_ptr<lock::lease_store> make_flawed_lease(storage::database& own, std::string self, flaw what,
                                                     std::function<void()> trusted)
{
    auto right = lock::make_clocked_lease(own, "master");
    return std::make_unique<flawed_lease>(std::move(right), own, std::move(self), what, std::move(trusted));
}

} // namespace baton::simulation
