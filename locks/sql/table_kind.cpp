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
    expiry_rule how;
    storage::database& shared;
    release_notifier* hint;
    time_source& time;
    random_source& random;
    std::string boot;
    std::string name;
    schema_check tables{shared};
};

class table_acquisition final : public acquisition {
public:
    table_acquisition(table_context& of, acquisition_request request)
        : of_(of), request_(std::move(request)), notification_(of.hint, hint_name())
    {}

    awaitable<try_result> take() override
    {
        try_result made;
        co_await of_.tables.pass();
        if (in_doubt_) {
            made.granted = co_await adopt();
            if (made.granted) {
                in_doubt_ = false;
                co_return made;
            }
        }
        in_doubt_ = true;
        auto const sent = of_.time.now();
        auto const work = [&](soci::session& sql) {
            table_row row(sql, of_.how, of_.boot, sent);
            return of_.how == expiry_rule::record ? take_at_once(row) : take_as_seen(row);
        };
        try {
            made = co_await of_.shared.run(work);
        } catch (storage::already_exists const&) {
            // Another was quicker to make the row, and holds it.
        }
        in_doubt_ = false;
        if (made.granted)
            token_ = made.granted->token;
        co_return made;
    }

    awaitable<void> await_change(refusal what, instant until) override
    {
        auto const now = of_.time.now();
        // Once it is known to take a while, and by turns with a pause, since a hint may be there that tells nothing;
        // but not in the last second of a holder that may be dead.
        auto const soonest = std::min(until, what.until.value_or(until));
        hinted_ =
            !hinted_ && of_.hint != nullptr && backoff_.is_at_limit() && soonest - now > release_notifier::span_of_wait;
        if (auto const bell = hinted_ ? of_.hint->listen(hint_name()) : nullptr) {
            co_await bell->wait_until(of_.time, now + release_notifier::span_of_wait);
            co_return;
        }
        auto at = std::min(until, now + backoff_.next(of_.random));
        if (what.until && *what.until > now)
            at = std::min(at, *what.until);
        co_await of_.time.sleep_until(at);
    }

    awaitable<void> arm_notification() override { return notification_.raise(); }
    awaitable<void> send_notification() override { return notification_.lower(); }

    awaitable<bool> extend() override
    {
        auto const sent = of_.time.now();
        auto const work = [&](soci::session& sql) {
            return table_row(sql, of_.how, of_.boot, sent).renew(request_, *token_);
        };
        co_return co_await of_.shared.run(work);
    }

    awaitable<bool> release() override
    {
        auto const sent = of_.time.now();
        auto const work = [&](soci::session& sql) {
            return table_row(sql, of_.how, of_.boot, sent).release(request_, token_);
        };
        co_return co_await of_.shared.run(work);
    }

private:
    // An earlier try had no answer. If it took the lock, that is renewed: how long ago it was taken, nobody knows.
    awaitable<std::optional<grant>> adopt()
    {
        auto const find = [&](soci::session& sql) { return table_row(sql, of_.how, of_.boot, {}).granted(request_); };
        auto found = co_await of_.shared.run(find);
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
        if (auto const mine = row.take(request_))
            return {mine, {}};
        auto const seen = row.read(request_.name);
        return seen ? refused(*seen) : first_of_its_name(row);
    }

    try_result take_as_seen(table_row& row)
    {
        // What was released needs no look at its holder; who has seen one held expects it to stay so.
        if (!observed_)
            if (auto const mine = row.take_free(request_))
                return {mine, {}};
        auto const seen = row.read(request_.name);
        if (!seen)
            return first_of_its_name(row);
        auto const now = of_.time.now();
        if (!observed_ || observed_->token != seen->token || observed_->renew_seq != seen->renew_seq) {
            observed_ = seen;
            observed_at_ = now;
        }
        auto const own_wait = seen->ttl + seen->ttl / rate_error;
        if (seen->owned && (!seen->expired || now < observed_at_ + own_wait)) {
            auto answer = refused(*seen);
            answer.refused.until = std::max(answer.refused.until.value_or(now), observed_at_ + own_wait);
            return answer;
        }
        if (!row.take_as_seen(request_, *seen))
            return {};
        return {grant{seen->token + 1, seen->owned}, {}};
    }

    try_result first_of_its_name(table_row& row)
    {
        row.insert(request_);
        return {row.granted(request_), {}};
    }

    try_result refused(row_state const& seen)
    {
        try_result answer;
        if (seen.owned)
            answer.refused.until = of_.time.now() + std::max(seen.ttl - seen.age, duration{});
        return answer;
    }

    std::string hint_name() const { return of_.name + "/" + request_.name; }

    table_context& of_;
    acquisition_request request_;
    std::optional<std::int64_t> token_;
    holder_notification notification_;
    bool hinted_ = false;
    bool in_doubt_ = false;
    poll_backoff backoff_;
    std::optional<row_state> observed_;
    instant observed_at_{};
};

class table_kind final : public lock_kind {
public:
    table_kind(expiry_rule how, storage::database& shared, release_notifier* hint, time_source& time,
               random_source& random)
        : of_{how, shared, hint, time, random, row_boot(shared), name_of(how)}
    {}

    std::string const& name() const override { return of_.name; }
    guarantee level() const override { return guarantee::fenced; }
    bool on_any_thread() const override { return true; }
    std::unique_ptr<acquisition> make_acquisition(acquisition_request request) override
    {
        return std::make_unique<table_acquisition>(of_, std::move(request));
    }

private:
    table_context of_;
};

} // namespace

std::unique_ptr<lock_kind> make_table_kind(expiry_rule how, storage::database& shared, release_notifier* hint,
                                           time_source& time, random_source& random)
{
    return std::make_unique<table_kind>(how, shared, hint, time, random);
}

} // namespace baton::lock
