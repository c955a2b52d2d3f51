#pragma once

#include "libs/base/error.hpp"
#include "libs/lease/lease_store.hpp"

#include <string>
#include <vector>

namespace baton::test {

// A lease row whose answers the test writes: late, lost or refused.
class scripted_lease final : public lease::lease_store {
public:
    explicit scripted_lease(time_source& time) : time_(time) { row.epoch = 1; }

    awaitable<void> ensure() override { co_return; }

    awaitable<lease::lease_row> poll() override
    {
        polled.push_back(time_.now());
        co_await answer();
        row.age = time_.now() - renewed_at;
        row.expired = row.age >= row.ttl;
        co_return row;
    }

    awaitable<bool> seize(lease::seizure bid) override
    {
        if (row.epoch != bid.seen_epoch || row.renew_seq != bid.seen_seq)
            co_return false;
        row.owner = bid.owner;
        row.epoch = bid.new_epoch;
        ++row.renew_seq;
        row.ttl = bid.ttl;
        renewed_at = time_.now();
        co_await answer();
        co_return true;
    }

    awaitable<bool> renew(std::string owner, std::int64_t epoch) override
    {
        bool const ours = row.owner == owner && row.epoch == epoch;
        if (ours) {
            ++row.renew_seq;
            renewed_at = time_.now();
            ++renewals;
        }
        co_await answer();
        co_return ours;
    }

    awaitable<bool> release(std::string owner, std::int64_t epoch) override
    {
        bool const ours = row.owner == owner && row.epoch == epoch;
        if (ours)
            row.owner.reset();
        released = ours;
        co_return ours;
    }

    lease::lease_row row;
    instant renewed_at{};
    duration latency{};
    bool down = false;
    int renewals = 0;
    std::vector<instant> polled;
    bool released = false;

private:
    // A call to a database cannot be cancelled: neither can this one.
    awaitable<void> answer()
    {
        co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
        co_await time_.sleep_for(latency);
        co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation());
        if (down)
            throw unavailable("the test took the database away");
    }

    time_source& time_;
};

} // namespace baton::test
