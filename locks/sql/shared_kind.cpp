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

// Some looks of one that waits. When it has given up or died, nobody else is held up for longer.
constexpr duration room_kept_for = 500ms;

struct shared_context {
    storage::database& shared;
    release_notifier* hint;
    time_source& time;
    random_source& random;
    std::string boot;
    char const* set; // whose names these are
    schema_check tables{shared};
};

constexpr int most_races = 20; // lost in one try

// What a look at the rows came to.
struct shared_answer {
    enum class verdict { granted, raced, refused, disagreed, nameless };

    verdict how = verdict::refused;
    grant made;
    std::int64_t capacity = 0;         // of those who disagree
    std::optional<duration> left = {}; // until the first of the holders is over
    std::string in_the_way = {};       // one of them, any
};

using verdict = shared_answer::verdict;

class shared_acquisition final : public acquisition {
public:
    shared_acquisition(shared_context& of, acquisition_request request)
        : of_(of), request_(std::move(request)), notification_(of.hint, hint_name(request_.owner))
    {}

    awaitable<try_result> take() override
    {
        co_await of_.tables.pass();
        auto const sent = of_.time.now();
        auto const work = [&](soci::session& sql) { return judge(sql, sent); };
        auto answer = co_await of_.shared.run(work);
        if (answer.how == verdict::nameless) {
            co_await make_name(sent);
            answer = co_await of_.shared.run(work);
        }
        co_return heard(answer, sent);
    }

    awaitable<void> await_change(refusal what, instant until) override
    {
        waits_ = true;
        auto const now = of_.time.now();
        auto at = std::min(until, now + backoff_.next(of_.random));
        if (what.until && *what.until > now)
            at = std::min(at, *what.until);
        if (!bell_)
            bell_ = listen();
        if (bell_)
            told_ = co_await bell_->wait_until(of_.time, at);
        else
            co_await of_.time.sleep_until(at);
        if (told_)
            bell_.reset();
    }

    awaitable<void> arm_notification() override { return notification_.raise(); }
    awaitable<void> send_notification() override { return notification_.lower(); }

    awaitable<bool> extend() override
    {
        auto const sent = of_.time.now();
        auto const work = [&](soci::session& sql) { return row(sql, sent).renew(request_, token_); };
        co_return co_await of_.shared.run(work);
    }

    awaitable<bool> release() override
    {
        auto const sent = of_.time.now();
        auto const work = [&](soci::session& sql) { return row(sql, sent).release(request_); };
        co_return co_await of_.shared.run(work);
    }

private:
    // To one of those who hold it, which wakes those who listen to the same, and not all; beside the looks, since
    // another may go first. Once it is known to take a while, and by turns with a pause, since a hint may be there that
    // tells nothing.
    std::shared_ptr<waker> listen()
    {
        bool const now = of_.hint != nullptr && backoff_.is_at_limit() && !std::exchange(told_, false);
        return now && !in_the_way_.empty() ? of_.hint->listen(hint_name(in_the_way_)) : nullptr;
    }

    // Each holder has one of its own.
    std::string hint_name(std::string const& owner) const { return std::string(of_.set) + "/" + owner; }

    shared_row row(soci::session& sql, instant sent) const { return shared_row(sql, of_.set, of_.boot, sent); }

    awaitable<void> make_name(instant sent)
    {
        auto const work = [&](soci::session& sql) { row(sql, sent).make(request_.name); };
        try {
            co_await of_.shared.run(work);
        } catch (storage::already_exists const&) {
            // Another was quicker.
        }
    }

    // Others who are granted it meanwhile do not make it less free for this one, if there is enough.
    shared_answer judge(soci::session& sql, instant sent)
    {
        auto rows = row(sql, sent);
        auto answer = look(rows);
        for (int tries = 1; answer.how == verdict::raced && tries < most_races; ++tries)
            answer = look(rows);
        return answer;
    }

    shared_answer look(shared_row& rows)
    {
        auto const seen = rows.read(request_.name);
        if (!seen)
            return {verdict::nameless, {}, 0, {}};
        // Of an earlier try without an answer: how long ago that took it, nobody knows.
        auto const* const own = seen->find(request_.owner);
        if (own && !own->expired)
            return {rows.renew(request_, own->token) ? verdict::granted : verdict::raced, grant{own->token}, 0, {}};
        auto const live = seen->live();
        auto const how = admit(request_.share, live, seen->room_kept > duration{});
        if (how == admission::granted)
            return install(rows, *seen);
        if (waits_ && reserves_room(request_.share, live) && seen->room_kept < room_kept_for / 2)
            rows.keep_room(request_, room_kept_for);
        return refusal_of(how, *seen);
    }

    // Who is over can come back no more before another has its place.
    shared_answer install(shared_row& rows, shared_state const& seen)
    {
        bool over = false;
        for (auto const& each : seen.holders) {
            if (!each.expired)
                continue;
            if (!rows.remove_expired(request_, each))
                return {verdict::raced, {}, 0, {}};
            over = true;
        }
        auto const token = rows.insert(request_, seen);
        if (!token)
            return {verdict::raced, {}, 0, {}};
        return {verdict::granted, grant{*token, over}, 0, {}};
    }

    shared_answer refusal_of(admission how, shared_state const& seen) const
    {
        shared_answer made;
        std::uint64_t live = 0;
        if (how == admission::mismatched)
            made.how = verdict::disagreed;
        for (auto const& each : seen.holders) {
            if (each.expired)
                continue;
            if (each.share.capacity != request_.share.capacity)
                made.capacity = each.share.capacity;
            made.left = std::min(made.left.value_or(each.left), each.left);
            if (of_.random.below(++live) == 0)
                made.in_the_way = each.owner;
        }
        return made;
    }

    try_result heard(shared_answer const& answer, instant sent)
    {
        try_result made;
        in_the_way_ = answer.in_the_way;
        if (answer.how == verdict::disagreed)
            throw capacity_mismatch(request_.name, request_.share.capacity, answer.capacity);
        if (answer.how == verdict::granted) {
            token_ = answer.made.token;
            made.granted = answer.made;
        } else if (answer.left) {
            made.refused.until = sent + *answer.left;
        }
        return made;
    }

    shared_context& of_;
    acquisition_request request_;
    std::int64_t token_ = 0;
    bool waits_ = false;
    poll_backoff backoff_;
    holder_notification notification_;
    std::string in_the_way_;      // as of the last look
    std::shared_ptr<waker> bell_; // of the one that it listens to
    bool told_ = false;           // just now
};

class shared_kind final : public lock_kind {
public:
    shared_kind(shared_kind_spec const& what, storage::database& shared, release_notifier* hint, time_source& time,
                random_source& random)
        : name_(what.kind), of_{shared, hint, time, random, row_boot(shared), what.set}
    {}

    std::string const& name() const override { return name_; }
    guarantee level() const override { return guarantee::fenced; }
    bool on_any_thread() const override { return true; }
    std::unique_ptr<acquisition> make_acquisition(acquisition_request request) override
    {
        return std::make_unique<shared_acquisition>(of_, std::move(request));
    }

private:
    std::string name_;
    shared_context of_;
};

} // namespace

std::unique_ptr<lock_kind> make_shared_kind(shared_kind_spec const& what, storage::database& shared,
                                            release_notifier* hint, time_source& time, random_source& random)
{
    return std::make_unique<shared_kind>(what, shared, hint, time, random);
}

} // namespace baton::lock
