#include "locks/sql/classic_kind.hpp"

#include "libs/storage/database.hpp"
#include "locks/core/polling.hpp"
#include "locks/sql/table_check.hpp"
#include "locks/sql/table_row.hpp"

namespace baton::lock {

namespace {

struct classic_shop {
    storage::database& shared;
    time_source& time;
    random_source& random;
    std::string boot;
    table_check tables{shared};
};

class classic_contender final : public contender {
public:
    classic_contender(classic_shop& of, bid offer) : of_(of), offer_(std::move(offer)) {}

    awaitable<attempt> take() override
    {
        attempt made;
        co_await of_.tables.pass();
        auto const sent = of_.time.now();
        bool const asked_before = std::exchange(in_doubt_, true);
        auto const work = [&](soci::session& sql) {
            table_row row(sql, rule::record, of_.boot, sent);
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
        auto at = std::min(until, now + pauses_.next(of_.random));
        if (what.until && *what.until > now)
            at = std::min(at, *what.until);
        co_await of_.time.sleep_until(at);
    }

    awaitable<bool> extend() override
    {
        auto const sent = of_.time.now();
        auto const work = [&](soci::session& sql) {
            return table_row(sql, rule::record, of_.boot, sent).renew(offer_, token_);
        };
        co_return co_await of_.shared.run(work);
    }

    awaitable<bool> release() override
    {
        auto const sent = of_.time.now();
        auto const work = [&](soci::session& sql) {
            return table_row(sql, rule::record, of_.boot, sent).remove(offer_);
        };
        co_return co_await of_.shared.run(work);
    }

private:
    // An earlier try had no answer. If it took the lock, that is renewed: how long ago it was taken, nobody knows.
    attempt adopt_or_take(table_row& row) const
    {
        auto const mine = row.granted(offer_);
        if (mine && row.renew(offer_, mine->token))
            return {mine, {}};
        return take_from(row);
    }

    // A look first: an INSERT that is refused has waited for the floor.
    attempt take_from(table_row& row) const
    {
        attempt made;
        auto const seen = row.read(offer_.name);
        if (!seen) {
            row.insert(offer_);
            made.granted = row.granted(offer_);
        } else if (seen->expired || !seen->owned) {
            made.granted = row.take(offer_);
        } else {
            made.refused.until = of_.time.now() + std::max(seen->ttl - seen->age, duration{});
        }
        return made;
    }

    classic_shop& of_;
    bid offer_;
    std::int64_t token_ = 0;
    bool in_doubt_ = false;
    polling pauses_;
};

class classic_kind final : public kind {
public:
    classic_kind(storage::database& shared, time_source& time, random_source& random)
        : of_{shared, time, random, row_boot(shared)}
    {}

    std::string const& name() const override { return name_; }
    guarantee level() const override { return guarantee::fenced; }
    bool on_any_thread() const override { return true; }
    std::unique_ptr<contender> contend(bid offer) override
    {
        return std::make_unique<classic_contender>(of_, std::move(offer));
    }

private:
    std::string name_ = "classic";
    classic_shop of_;
};

} // namespace

std::unique_ptr<kind> make_classic_kind(storage::database& shared, time_source& time, random_source& random)
{
    return std::make_unique<classic_kind>(shared, time, random);
}

} // namespace baton::lock
