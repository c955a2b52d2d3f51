#include "locks/sql/shared_kind.hpp"

#include "libs/storage/database.hpp"
#include "locks/core/poll_backoff.hpp"
#include "locks/sql/release_notifier.hpp"
#include "locks/sql/schema_check.hpp"
#include "locks/sql/shared_row.hpp"
#include "locks/sql/table_row.hpp"

#include <utility>

namespace baton::lock {

namespace {

// A waiting writer renews its reservation a few times in this span. A writer that gave up or died blocks others no
// longer.
constexpr duration reservation_span = 500ms;

struct shared_context {
    storage::database& shared;
    release_notifier* notifier;
    time_source& time;
    random_source& random;
    std::string boot;
    char const* set; // of shared_kind_spec
    schema_check schema{shared};
};

constexpr int most_races = 20; // races that one try may lose

// The result of reading the rows and acting on them once.
struct shared_answer {
    enum class verdict { granted, raced, refused, mismatched, nameless };

    verdict result = verdict::refused;
    grant granted;
    std::int64_t capacity = 0;         // of holders that use another one
    std::optional<duration> left = {}; // until the first holder's time ends
    std::string holder = {};           // the owner of one of the holds, drawn at random
};

using verdict = shared_answer::verdict;

class shared_acquisition final : public acquisition {
public:
    shared_acquisition(shared_context& context, acquisition_request request)
        : context_(context),
          request_(std::move(request)),
          notification_(context.notifier, notification_name(request_.owner))
    {}

    awaitable<try_result> take() override
    {
        co_await context_.schema.run();
        auto const sent = context_.time.now();
        auto const work = [&](soci::session& sql) { return decide(sql, sent); };
        auto answer = co_await context_.shared.run(work);
        if (answer.result == verdict::nameless) {
            co_await insert_name(sent);
            answer = co_await context_.shared.run(work);
        }
        co_return result_of(answer, sent);
    }

    awaitable<void> await_change(refusal refused, instant until) override
    {
        waits_ = true;
        auto const now = context_.time.now();
        auto at = std::min(until, now + backoff_.next(context_.random));
        if (refused.until && *refused.until > now)
            at = std::min(at, *refused.until);
        if (!wakeup_)
            wakeup_ = subscribe();
        if (wakeup_)
            woken_ = co_await wakeup_->wait_until(context_.time, at);
        else
            co_await context_.time.sleep_until(at);
        if (woken_)
            wakeup_.reset();
    }

    awaitable<void> arm_notification() override { return notification_.arm(); }
    awaitable<void> send_notification() override { return notification_.signal(); }

    awaitable<bool> extend() override
    {
        auto const sent = context_.time.now();
        auto const work = [&](soci::session& sql) { return row(sql, sent).renew(request_, token_); };
        co_return co_await context_.shared.run(work);
    }

    awaitable<bool> release() override
    {
        auto const sent = context_.time.now();
        auto const work = [&](soci::session& sql) { return row(sql, sent).release(request_); };
        co_return co_await context_.shared.run(work);
    }

private:
    // Subscribes to the release of one holder, so that a release wakes some of the waiters and not all. Polling goes
    // on, because another holder may release first. It subscribes after a while of polling, and in turns with a pause,
    // because a notification may be stale.
    std::shared_ptr<waker> subscribe()
    {
        bool const now = context_.notifier != nullptr && backoff_.is_at_limit() && !std::exchange(woken_, false);
        return now && !holder_.empty() ? context_.notifier->subscribe(notification_name(holder_)) : nullptr;
    }

    // Each holder has a notification of its own.
    std::string notification_name(std::string const& owner) const { return std::string(context_.set) + "/" + owner; }

    shared_row row(soci::session& sql, instant sent) const
    {
        return shared_row(sql, context_.set, context_.boot, sent);
    }

    awaitable<void> insert_name(instant sent)
    {
        auto const work = [&](soci::session& sql) { row(sql, sent).insert_name(request_.name); };
        try {
            co_await context_.shared.run(work);
        } catch (storage::already_exists const&) {
            // Another acquisition inserted the row first.
        }
    }

    // Reads again after a lost race, because there may be room beside the new holder.
    shared_answer decide(soci::session& sql, instant sent)
    {
        auto rows = row(sql, sent);
        auto answer = decide_once(rows);
        for (int tries = 1; answer.result == verdict::raced && tries < most_races; ++tries)
            answer = decide_once(rows);
        return answer;
    }

    shared_answer decide_once(shared_row& rows)
    {
        auto const seen = rows.read(request_.name);
        if (!seen)
            return {verdict::nameless, {}, 0, {}};
        // From an earlier try without an answer. It is renewed, because the time of the grant is unknown.
        auto const* const own = seen->find(request_.owner);
        if (own && !own->expired)
            return {rows.renew(request_, own->token) ? verdict::granted : verdict::raced, grant{own->token}, 0, {}};
        auto const live = seen->live();
        auto const admitted = admit(request_.share, live, seen->room_reserved > duration{});
        if (admitted == admission::granted)
            return take_share(rows, *seen);
        if (waits_ && reserves_room(request_.share, live) && seen->room_reserved < reservation_span / 2)
            rows.reserve_room(request_, reservation_span);
        return refusal_of(admitted, *seen);
    }

    // Deletes expired holders first, so that they cannot renew after this holder took their place.
    shared_answer take_share(shared_row& rows, shared_state const& seen)
    {
        bool took_over = false;
        for (auto const& each : seen.holders) {
            if (!each.expired)
                continue;
            if (!rows.remove_expired(request_, each))
                return {verdict::raced, {}, 0, {}};
            took_over = true;
        }
        auto const token = rows.insert_holder(request_, seen);
        if (!token)
            return {verdict::raced, {}, 0, {}};
        return {verdict::granted, grant{*token, took_over}, 0, {}};
    }

    shared_answer refusal_of(admission admitted, shared_state const& seen) const
    {
        shared_answer made;
        std::uint64_t live = 0;
        if (admitted == admission::mismatched)
            made.result = verdict::mismatched;
        for (auto const& each : seen.holders) {
            if (each.expired)
                continue;
            if (each.share.capacity != request_.share.capacity)
                made.capacity = each.share.capacity;
            made.left = std::min(made.left.value_or(each.left), each.left);
            if (context_.random.below(++live) == 0)
                made.holder = each.owner;
        }
        return made;
    }

    try_result result_of(shared_answer const& answer, instant sent)
    {
        try_result made;
        holder_ = answer.holder;
        if (answer.result == verdict::mismatched)
            throw capacity_mismatch(request_.name, request_.share.capacity, answer.capacity);
        if (answer.result == verdict::granted) {
            token_ = answer.granted.token;
            made.granted = answer.granted;
        } else if (answer.left) {
            made.refused.until = sent + *answer.left;
        }
        return made;
    }

    shared_context& context_;
    acquisition_request request_;
    std::int64_t token_ = 0;
    bool waits_ = false; // and reserves room
    poll_backoff backoff_;
    holder_notification notification_;
    std::string holder_;            // one of the holders at the last try
    std::shared_ptr<waker> wakeup_; // of the subscription
    bool woken_ = false;            // by the subscription in the last wait
};

class shared_kind final : public lock_kind {
public:
    shared_kind(shared_kind_spec const& spec, storage::database& shared, release_notifier* notifier, time_source& time,
                random_source& random)
        : name_(spec.kind), context_{shared, notifier, time, random, row_boot(shared), spec.set}
    {}

    std::string const& name() const override { return name_; }
    guarantee level() const override { return guarantee::fenced; }
    bool on_any_thread() const override { return true; }
    std::unique_ptr<acquisition> make_acquisition(acquisition_request request) override
    {
        return std::make_unique<shared_acquisition>(context_, std::move(request));
    }

private:
    std::string name_;
    shared_context context_;
};

} // namespace

std::unique_ptr<lock_kind> make_shared_kind(shared_kind_spec const& spec, storage::database& shared,
                                            release_notifier* notifier, time_source& time, random_source& random)
{
    return std::make_unique<shared_kind>(spec, shared, notifier, time, random);
}

} // namespace baton::lock
