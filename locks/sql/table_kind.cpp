#include "locks/sql/table_kind.hpp"

#include "libs/storage/database.hpp"
#include "locks/core/poll_backoff.hpp"
#include "locks/sql/release_notifier.hpp"
#include "locks/sql/schema_check.hpp"
#include "locks/sql/table_row.hpp"

#include <algorithm>

namespace baton::lock {

namespace {

struct table_context {
    expiry_rule rule;
    storage::database& shared;
    release_notifier* notifier;
    time_source& time;
    random_source& random;
    std::string boot;
    std::string name;
    schema_check schema{shared};
};

class table_acquisition final : public acquisition {
public:
    table_acquisition(table_context& context, acquisition_request request)
        : context_(context), request_(std::move(request)), notification_(context.notifier, notification_name())
    {}

    awaitable<try_result> take() override
    {
        try_result made;
        co_await context_.schema.run();
        if (in_doubt_) {
            made.granted = co_await adopt();
            if (made.granted) {
                in_doubt_ = false;
                co_return made;
            }
        }
        in_doubt_ = true;
        auto const sent = context_.time.now();
        auto const work = [&](soci::session& sql) {
            table_row row(sql, context_.rule, context_.boot, sent);
            return context_.rule == expiry_rule::record ? take_at_once(row) : take_as_seen(row);
        };
        try {
            made = co_await context_.shared.run(work);
        } catch (storage::already_exists const&) {
            // Another acquisition inserted the row first and holds it.
        }
        in_doubt_ = false;
        if (made.granted)
            token_ = made.granted->token;
        co_return made;
    }

    awaitable<void> await_change(refusal refused, instant until) override
    {
        auto const now = context_.time.now();
        // Waits for a notification after a while of polling, and in turns with a pause, because a notification may be
        // stale. Not in the last second of a holder that may be dead.
        auto const soonest = std::min(until, refused.until.value_or(until));
        subscribed_ = !subscribed_ && context_.notifier != nullptr && backoff_.is_at_limit() &&
                      soonest - now > release_notifier::wait_span;
        if (auto const wakeup = subscribed_ ? context_.notifier->subscribe(notification_name()) : nullptr) {
            co_await wakeup->wait_until(context_.time, now + release_notifier::wait_span);
            co_return;
        }
        auto at = std::min(until, now + backoff_.next(context_.random));
        if (refused.until && *refused.until > now)
            at = std::min(at, *refused.until);
        co_await context_.time.sleep_until(at);
    }

    awaitable<void> arm_notification() override { return notification_.arm(); }
    awaitable<void> send_notification() override { return notification_.signal(); }

    awaitable<bool> extend() override
    {
        auto const sent = context_.time.now();
        auto const work = [&](soci::session& sql) {
            return table_row(sql, context_.rule, context_.boot, sent).renew(request_, *token_);
        };
        co_return co_await context_.shared.run(work);
    }

    awaitable<bool> release() override
    {
        auto const sent = context_.time.now();
        auto const work = [&](soci::session& sql) {
            return table_row(sql, context_.rule, context_.boot, sent).release(request_, token_);
        };
        co_return co_await context_.shared.run(work);
    }

private:
    // After a try without an answer. If it took the lock, it is renewed, because the time of the grant is unknown.
    awaitable<std::optional<grant>> adopt()
    {
        auto const find = [&](soci::session& sql) {
            return table_row(sql, context_.rule, context_.boot, {}).granted(request_);
        };
        auto found = co_await context_.shared.run(find);
        if (!found)
            co_return found;
        token_ = found->token;
        bool const held = co_await extend();
        if (!held) {
            token_.reset();
            found.reset();
        }
        co_return found;
    }

    try_result take_at_once(table_row& row)
    {
        if (auto const own = row.take(request_))
            return {own, {}};
        auto const seen = row.read(request_.name);
        return seen ? refused_by(*seen) : insert(row);
    }

    try_result take_as_seen(table_row& row)
    {
        // A released lock can be taken without reading its row first. After a refusal it is probably still held.
        if (!observed_)
            if (auto const own = row.take_free(request_))
                return {own, {}};
        auto const seen = row.read(request_.name);
        if (!seen)
            return insert(row);
        auto const now = context_.time.now();
        if (!observed_ || observed_->token != seen->token || observed_->renew_seq != seen->renew_seq) {
            observed_ = seen;
            observed_at_ = now;
        }
        auto const own_wait = seen->ttl + seen->ttl / rate_error;
        if (seen->owned && (!seen->expired || now < observed_at_ + own_wait)) {
            auto answer = refused_by(*seen);
            answer.refused.until = std::max(answer.refused.until.value_or(now), observed_at_ + own_wait);
            return answer;
        }
        if (!row.take_as_seen(request_, *seen))
            return {};
        return {grant{seen->token + 1, seen->owned}, {}};
    }

    try_result insert(table_row& row)
    {
        row.insert(request_);
        return {row.granted(request_), {}};
    }

    try_result refused_by(row_state const& seen)
    {
        try_result answer;
        if (seen.owned)
            answer.refused.until = context_.time.now() + std::max(seen.ttl - seen.age, duration{});
        return answer;
    }

    std::string notification_name() const { return context_.name + "/" + request_.name; }

    table_context& context_;
    acquisition_request request_;
    std::optional<std::int64_t> token_;
    holder_notification notification_;
    bool subscribed_ = false; // in the last wait
    bool in_doubt_ = false;   // a try had no answer
    poll_backoff backoff_;
    std::optional<row_state> observed_; // the row as the waiter first saw it
    instant observed_at_{};
};

class table_kind final : public lock_kind {
public:
    table_kind(expiry_rule rule, storage::database& shared, release_notifier* notifier, time_source& time,
               random_source& random)
        : context_{rule, shared, notifier, time, random, row_boot(shared), name_of(rule)}
    {}

    std::string const& name() const override { return context_.name; }
    guarantee level() const override { return guarantee::fenced; }
    bool on_any_thread() const override { return true; }
    std::unique_ptr<acquisition> make_acquisition(acquisition_request request) override
    {
        return std::make_unique<table_acquisition>(context_, std::move(request));
    }

private:
    table_context context_;
};

} // namespace

std::unique_ptr<lock_kind> make_table_kind(expiry_rule rule, storage::database& shared, release_notifier* notifier,
                                           time_source& time, random_source& random)
{
    return std::make_unique<table_kind>(rule, shared, notifier, time, random);
}

} // namespace baton::lock
