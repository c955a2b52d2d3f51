#include "locks/sql/classic_kind.hpp"

#include "libs/storage/database.hpp"
#include "locks/core/poll_backoff.hpp"
#include "locks/sql/schema_check.hpp"
#include "locks/sql/table_row.hpp"

namespace baton::lock {

namespace {

struct classic_context {
    storage::database& shared;
    time_source& time;
    random_source& random;
    std::string boot;
    schema_check tables{shared};
};

class classic_acquisition final : public acquisition {
public:
    classic_acquisition(classic_context& of, acquisition_request request) : of_(of), request_(std::move(request)) {}

    awaitable<try_result> take() override
    {
        try_result made;
        co_await of_.tables.pass();
        auto const sent = of_.time.now();
        bool const asked_before = std::exchange(in_doubt_, true);
        auto const work = [&](soci::session& sql) {
            table_row row(sql, expiry_rule::record, of_.boot, sent);
            return asked_before ? adopt_or_take(row) : take_from(row);
        };
        try {
            made = co_await of_.shared.run(work);
        } catch (storage::already_exists const&) {
            // Another was quicker.
        }
        in_doubt_ = false;
        if (made.granted)
            token_ = made.granted->token;
        co_return made;
    }

    awaitable<void> await_change(refusal what, instant until) override
    {
        auto const now = of_.time.now();
        auto at = std::min(until, now + backoff_.next(of_.random));
        if (what.until && *what.until > now)
            at = std::min(at, *what.until);
        co_await of_.time.sleep_until(at);
    }

    awaitable<bool> extend() override
    {
        auto const sent = of_.time.now();
        auto const work = [&](soci::session& sql) {
            return table_row(sql, expiry_rule::record, of_.boot, sent).renew(request_, token_);
        };
        co_return co_await of_.shared.run(work);
    }

    awaitable<bool> release() override
    {
        auto const sent = of_.time.now();
        auto const work = [&](soci::session& sql) {
            return table_row(sql, expiry_rule::record, of_.boot, sent).remove(request_);
        };
        co_return co_await of_.shared.run(work);
    }

private:
    // An earlier try had no answer. If it took the lock, that is renewed: how long ago it was taken, nobody knows.
    try_result adopt_or_take(table_row& row) const
    {
        auto const mine = row.granted(request_);
        if (mine && row.renew(request_, mine->token))
            return {mine, {}};
        return take_from(row);
    }

    // A look first: an INSERT that is refused has waited for the floor.
    try_result take_from(table_row& row) const
    {
        try_result made;
        auto const seen = row.read(request_.name);
        if (!seen) {
            row.insert(request_);
            made.granted = row.granted(request_);
        } else if (seen->expired || !seen->owned) {
            made.granted = row.take(request_);
        } else {
            made.refused.until = of_.time.now() + std::max(seen->ttl - seen->age, duration{});
        }
        return made;
    }

    classic_context& of_;
    acquisition_request request_;
    std::int64_t token_ = 0;
    bool in_doubt_ = false;
    poll_backoff backoff_;
};

class classic_kind final : public lock_kind {
public:
    classic_kind(storage::database& shared, time_source& time, random_source& random)
        : of_{shared, time, random, row_boot(shared)}
    {}

    std::string const& name() const override { return name_; }
    guarantee level() const override { return guarantee::fenced; }
    bool on_any_thread() const override { return true; }
    std::unique_ptr<acquisition> make_acquisition(acquisition_request request) override
    {
        return std::make_unique<classic_acquisition>(of_, std::move(request));
    }

private:
    std::string name_ = "classic";
    classic_context of_;
};

} // namespace

std::unique_ptr<lock_kind> make_classic_kind(storage::database& shared, time_source& time, random_source& random)
{
    return std::make_unique<classic_kind>(shared, time, random);
}

} // namespace baton::lock
