#include "locks/sql/table_kind.hpp"

#include "libs/storage/database.hpp"
#include "locks/core/polling.hpp"
#include "locks/sql/table_check.hpp"
#include "locks/sql/table_row.hpp"
#include "locks/sql/wake_hint.hpp"

#include <algorithm>

namespace baton::lock {

namespace {

struct shop {
    rule how;
    storage::database& shared;
    wake_hint* hint;
    time_source& time;
    random_source& random;
    std::string boot;
    std::string name;
    table_check tables{shared};
};

class table_contender final : public contender {
public:
    table_contender(shop& of, bid offer) : of_(of), offer_(std::move(offer)), own_hint_(of.hint, hint_name()) {}

    awaitable<attempt> take() override
    {
        attempt made;
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
            return of_.how == rule::record ? take_at_once(row) : take_as_seen(row);
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
        hinted_ = !hinted_ && of_.hint != nullptr && pauses_.are_longest() && soonest - now > wake_hint::span_of_wait;
        if (auto const bell = hinted_ ? of_.hint->listen(hint_name()) : nullptr) {
            co_await bell->wait_until(of_.time, now + wake_hint::span_of_wait);
            co_return;
        }
        auto at = std::min(until, now + pauses_.next(of_.random));
        if (what.until && *what.until > now)
            at = std::min(at, *what.until);
        co_await of_.time.sleep_until(at);
    }

    awaitable<void> settle() override { return own_hint_.raise(); }
    awaitable<void> unsettle() override { return own_hint_.lower(); }

    awaitable<bool> extend() override
    {
        auto const sent = of_.time.now();
        auto const work = [&](soci::session& sql) {
            return table_row(sql, of_.how, of_.boot, sent).renew(offer_, *token_);
        };
        co_return co_await of_.shared.run(work);
    }

    awaitable<bool> release() override
    {
        auto const sent = of_.time.now();
        auto const work = [&](soci::session& sql) {
            return table_row(sql, of_.how, of_.boot, sent).release(offer_, token_);
        };
        co_return co_await of_.shared.run(work);
    }

private:
    // An earlier try had no answer. If it took the lock, that is renewed: how long ago it was taken, nobody knows.
    awaitable<std::optional<grant>> adopt()
    {
        auto const find = [&](soci::session& sql) { return table_row(sql, of_.how, of_.boot, {}).granted(offer_); };
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

    attempt take_at_once(table_row& row)
    {
        if (auto const mine = row.take(offer_))
            return {mine, {}};
        auto const seen = row.read(offer_.name);
        return seen ? refused(*seen) : first_of_its_name(row);
    }

    attempt take_as_seen(table_row& row)
    {
        // What was released needs no look at its holder; who has seen one held expects it to stay so.
        if (!observed_)
            if (auto const mine = row.take_free(offer_))
                return {mine, {}};
        auto const seen = row.read(offer_.name);
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
        if (!row.take_as_seen(offer_, *seen))
            return {};
        return {grant{seen->token + 1, seen->owned}, {}};
    }

    attempt first_of_its_name(table_row& row)
    {
        row.insert(offer_);
        return {row.granted(offer_), {}};
    }

    attempt refused(lock_state const& seen)
    {
        attempt answer;
        if (seen.owned)
            answer.refused.until = of_.time.now() + std::max(seen.ttl - seen.age, duration{});
        return answer;
    }

    std::string hint_name() const { return of_.name + "/" + offer_.name; }

    shop& of_;
    bid offer_;
    std::optional<std::int64_t> token_;
    own_hint own_hint_;
    bool hinted_ = false;
    bool in_doubt_ = false;
    polling pauses_;
    std::optional<lock_state> observed_;
    instant observed_at_{};
};

class table_kind final : public kind {
public:
    table_kind(rule how, storage::database& shared, wake_hint* hint, time_source& time, random_source& random)
        : of_{how, shared, hint, time, random, row_boot(shared), name_of(how)}
    {}

    std::string const& name() const override { return of_.name; }
    guarantee level() const override { return guarantee::fenced; }
    bool on_any_thread() const override { return true; }
    std::unique_ptr<contender> contend(bid offer) override
    {
        return std::make_unique<table_contender>(of_, std::move(offer));
    }

private:
    shop of_;
};

} // namespace

std::unique_ptr<kind> make_table_kind(rule how, storage::database& shared, wake_hint* hint, time_source& time,
                                      random_source& random)
{
    return std::make_unique<table_kind>(how, shared, hint, time, random);
}

} // namespace baton::lock
