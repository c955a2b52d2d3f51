#include "locks/core/held_lock.hpp"

#include "libs/base/log.hpp"
#include "libs/base/process.hpp"
#include "libs/base/run_here.hpp"

#include <boost/asio/dispatch.hpp>

#include <algorithm>

namespace baton::lock {

namespace {

constexpr duration most_margin = 250ms;
constexpr duration release_limit = 2s;
constexpr duration between_releases = 100ms;
// A shorter hold ends before a notification could reach a waiter.
constexpr duration arms_notification_after = 30ms;

duration pause_after_failure(duration ttl)
{
    return std::clamp<duration>(ttl / 12, 10ms, 250ms);
}

} // namespace

instant use_until(instant sent, duration ttl)
{
    return sent + ttl - ttl / rate_error - std::min(ttl / 10, most_margin);
}

held_lock::held_lock(lock_context& context, held_lock_parts parts)
    : loop_owner_(context.store.loop_owner), context_(context), parts_(std::move(parts))
{
    if (parts_.granted.ttl)
        parts_.options.ttl = std::chrono::floor<std::chrono::milliseconds>(*parts_.granted.ttl);
    set_renewed(parts_.sent);
}

void held_lock::set_renewed(instant sent)
{
    auto const ttl = parts_.options.ttl;
    renewal_.sent = sent;
    renewal_.next = sent + ttl / 3;
    deadline_.store(use_until(sent, ttl).time_since_epoch().count(), std::memory_order_release);
}

instant held_lock::deadline() const
{
    return held() ? instant{duration{deadline_.load(std::memory_order_acquire)}} : instant{};
}

bool held_lock::renews(instant now) const
{
    auto const& options = parts_.options;
    return options.watchdog && !renewal_.running && (options.max_hold == 0ms || now < parts_.sent + options.max_hold);
}

void held_lock::begin()
{
    if (released() || claimed_.exchange(true))
        return; // a caller's thread released it first
    changed_ = std::make_shared<waker>(context_.store.loop);
    context_.held.insert(shared_from_this());
    context_.store.tasks.spawn("lock watchdog", watch(shared_from_this()));
}

awaitable<void> held_lock::watch(self me)
{
    co_await me->watch_until_over();
}

// Renewals run beside this, so that an unanswered one does not delay the expiry.
awaitable<void> held_lock::watch_until_over()
{
    auto const changed = changed_; // a release may reset the member
    auto& time = context_.store.time;
    while (held()) {
        auto const now = time.now();
        auto const end = deadline();
        if (now >= end) {
            expire();
            break;
        }
        auto const next = std::min(end, begin_due_work(now));
        co_await changed->wait_until(time, next);
    }
    if (released())
        co_return;
    // Where the store expires the lock by itself, other callers cannot have it earlier.
    co_await time.sleep_until(renewal_.sent + parts_.options.ttl);
    if (over())
        parts_.handle->discard();
}

// Returns when the next work is due.
instant held_lock::begin_due_work(instant now)
{
    auto next = instant::max();
    auto& tasks = context_.store.tasks;
    if (renews(now) && now >= renewal_.next) {
        renewal_.running = true;
        tasks.spawn("lock renewal", renew(shared_from_this()));
    } else if (renews(now)) {
        next = renewal_.next;
    }
    auto const arms_at = parts_.sent + arms_notification_after;
    if (!notification_armed_ && now >= arms_at) {
        notification_armed_ = true;
        tasks.spawn("lock notification", arm_notification(shared_from_this()));
    } else if (!notification_armed_) {
        next = std::min(next, arms_at);
    }
    return next;
}

awaitable<void> held_lock::arm_notification(self me)
{
    auto const handle = me->parts_.handle;
    if (handle && me->held())
        co_await handle->arm_notification();
}

void held_lock::spawn_send_notification()
{
    if (notification_armed_)
        context_.store.tasks.spawn("lock notification", send_notification(parts_.handle));
}

awaitable<void> held_lock::send_notification(std::shared_ptr<acquisition> handle)
{
    co_await handle->send_notification();
}

awaitable<void> held_lock::renew(self me)
{
    auto const handle = me->parts_.handle;
    if (!handle)
        co_return; // released before this began
    auto& time = me->context_.store.time;
    auto const sent = time.now();
    bool still_held = true;
    bool answered = false;
    try {
        still_held = co_await handle->extend();
        answered = true;
    } catch (unavailable const& failure) {
        log::debug("lock", "renewing a lock failed, retrying until its time ends",
                   {log::reason(failure.what()), {"name", me->parts_.name}});
    }
    me->renewal_.running = false;
    if (answered)
        me->apply_renewal(still_held, sent);
    else
        me->renewal_.next = time.now() + pause_after_failure(me->parts_.options.ttl);
    if (me->changed_)
        me->changed_->wake();
}

void held_lock::apply_renewal(bool still_held, instant sent)
{
    if (!held())
        return;
    if (!still_held)
        lose("the store says that another holder has it or that it expired");
    else if (context_.store.time.now() >= deadline()) // a hold that could not be proved once does not resume
        expire();
    else
        set_renewed(sent);
}

void held_lock::expire()
{
    context_.metrics.expired += lose("it was not renewed in time");
}

bool held_lock::lose(char const* why)
{
    auto present = phase::held;
    if (!phase_.compare_exchange_strong(present, phase::lost))
        return false;
    ++context_.metrics.lost;
    log::warn("lock", "a held lock was lost, telling its holder",
              {log::reason(why), {"name", parts_.name}, {"token", token()}, {"label", parts_.options.label}});
    lost_.request_stop();
    spawn_send_notification();
    return true;
}

awaitable<release_result> held_lock::release()
{
    auto const me = shared_from_this();
    auto& store = context_.store;
    bool const late = store.time.now() >= deadline();
    bool const begun = claimed_.exchange(true);
    auto const before = phase_.exchange(phase::released);
    auto const until = store.time.now() + release_limit;
    auto result = release_result::unknown;
    try {
        result = co_await try_release(until);
    } catch (std::exception const& failure) {
        log::error("lock", "releasing a lock failed, retrying until its time ends",
                   {log::reason(failure.what()), {"name", parts_.name}});
    }
    if (late || before == phase::lost)
        result = release_result::was_lost;
    auto const tell = [me, result, late, noticed = before == phase::lost] { me->finish(result, noticed, late); };
    if (begun) {
        asio::dispatch(store.loop, tell);
        co_return result;
    }
    // The loop does not know of this hold and never will: a short hold is reported with others, to save a wake-up.
    if (result != release_result::unknown)
        parts_.handle.reset(); // with the session that it may occupy
    store.posts.post(tell);
    co_return result;
}

void held_lock::stop_watching()
{
    context_.held.erase(shared_from_this());
    if (changed_)
        std::exchange(changed_, nullptr)->wake();
}

void held_lock::finish(release_result result, bool was_noticed, bool was_late)
{
    stop_watching();
    auto& metrics = context_.metrics;
    log::field const name("name", parts_.name);
    log::field const number("token", token());
    log::field const label("label", parts_.options.label);
    switch (result) {
    case release_result::released:
        ++metrics.released;
        log::debug("lock", "a lock was released", {name, number, label});
        break;
    case release_result::was_lost:
        metrics.lost += !was_noticed;
        metrics.expired += !was_noticed && was_late;
        log::warn("lock", "a lock was lost before its release, telling its holder", {name, number, label});
        lost_.request_stop();
        break;
    case release_result::unknown:
        ++metrics.unknown;
        log::warn("lock", "the store did not answer a release, retrying until the lock's time ends",
                  {name, number, label});
        break;
    }
    spawn_send_notification();
    if (result == release_result::unknown)
        context_.store.tasks.spawn("lock release", release_until_expired(shared_from_this()));
    else
        parts_.handle.reset(); // on the loop, not on the thread of the last caller with a reference
}

awaitable<release_result> held_lock::try_release(instant until)
{
    auto& time = context_.store.time;
    for (bool first = true;; first = false) {
        try {
            bool const was_held = co_await parts_.handle->release();
            if (was_held)
                co_return release_result::released;
            // An earlier request without an answer may have released it.
            co_return first ? release_result::was_lost : release_result::unknown;
        } catch (unavailable const& failure) {
            log::debug("lock", "releasing a lock failed, retrying",
                       {log::reason(failure.what()), {"name", parts_.name}});
        }
        if (time.now() + between_releases >= until)
            co_return release_result::unknown;
        if (runs_here())
            block_thread(between_releases); // a timer would leave its file descriptors with the caller's thread
        else
            co_await time.sleep_for(between_releases);
    }
}

awaitable<void> held_lock::end(instant until)
{
    auto const me = shared_from_this();
    lose("its store is closed");
    phase_ = phase::released;
    if (context_.store.time.now() < until)
        co_await try_release(until);
    parts_.handle.reset(); // its kind is destroyed with the store
    changed_.reset();
}

void held_lock::release_in_background()
{
    phase_ = phase::released;
    stop_watching();
    spawn_send_notification();
    context_.store.tasks.spawn("lock release", release_until_expired(shared_from_this()));
}

// So that other callers need not wait for the rest of its time.
awaitable<void> held_lock::release_until_expired(self me)
{
    co_await me->try_release(me->renewal_.sent + me->parts_.options.ttl);
    me->parts_.handle.reset();
}

} // namespace baton::lock
