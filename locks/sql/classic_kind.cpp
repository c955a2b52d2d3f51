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
    schema_check schema{shared};
};

class classic_acquisition final : public acquisition {
public:
    classic_acquisition(classic_context& context, acquisition_request request)
        : context_(context), request_(std::move(request))
    {}

    awaitable<try_result> take() override
    {
        try_result made;
        co_await context_.schema.run();
        auto const sent = context_.time.now();
        bool const asked_before = std::exchange(in_doubt_, true);
        auto const work = [&](soci::session& sql) {
            table_row row(sql, expiry_rule::record, context_.boot, sent);
            return asked_before ? adopt_or_take(row) : take_from(row);
        };
        try {
            made = co_await context_.shared.run(work);
        } catch (storage::already_exists const&) {
            // Another acquisition inserted the row first.
        }
        in_doubt_ = false;
        if (made.granted)
            token_ = made.granted->token;
        co_return made;
    }

    awaitable<void> await_change(refusal refused, instant until) override
    {
        auto const now = context_.time.now();
        auto at = std::min(until, now + backoff_.next(context_.random));
        if (refused.until && *refused.until > now)
            at = std::min(at, *refused.until);
        co_await context_.time.sleep_until(at);
    }

    awaitable<bool> extend() override
    {
        auto const sent = context_.time.now();
        auto const work = [&](soci::session& sql) {
            return table_row(sql, expiry_rule::record, context_.boot, sent).renew(request_, token_);
        };
        co_return co_await context_.shared.run(work);
    }

    awaitable<bool> release() override
    {
        auto const sent = context_.time.now();
        auto const work = [&](soci::session& sql) {
            return table_row(sql, expiry_rule::record, context_.boot, sent).remove(request_);
        };
        co_return co_await context_.shared.run(work);
    }

private:
    // After a try without an answer. If it took the lock, it is renewed, because the time of the grant is unknown.
    try_result adopt_or_take(table_row& row) const
    {
        auto const own = row.granted(request_);
        if (own && row.renew(request_, own->token))
            return {own, {}};
        return take_from(row);
    }

    // Reads first, because an INSERT waits for the floor even if it is refused.
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
            made.refused.until = context_.time.now() + std::max(seen->ttl - seen->age, duration{});
        }
        return made;
    }

    classic_context& context_;
    acquisition_request request_;
    std::int64_t token_ = 0;
    bool in_doubt_ = false;
    poll_backoff backoff_;
};

class classic_kind final : public lock_kind {
public:
    classic_kind(storage::database& shared, time_source& time, random_source& random)
        : context_{shared, time, random, row_boot(shared)}
    {}

    std::string const& name() const override { return name_; }
    guarantee level() const override { return guarantee::fenced; }
    bool on_any_thread() const override { return true; }
    std::unique_ptr<acquisition> make_acquisition(acquisition_request request) override
    {
        return std::make_unique<classic_acquisition>(context_, std::move(request));
    }

private:
    std::string name_ = "classic";
    classic_context context_;
};

} // namespace

std::unique_ptr<lock_kind> make_classic_kind(storage::database& shared, time_source& time, random_source& random)
{
    return std::make_unique<classic_kind>(shared, time, random);
}

} // namespace baton::lock
