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
// What is held for less is over before a waiter would have been told of it.
constexpr duration settles_after = 30ms;

duration pause_after_failure(duration ttl)
{
    return std::clamp<duration>(ttl / 12, 10ms, 250ms);
}

} // namespace

instant use_until(instant sent, duration ttl)
{
    return sent + ttl - ttl / rate_error - std::min(ttl / 10, most_margin);
}

held_lock::held_lock(lock_context& context, std::string name, lock_options const& how, std::shared_ptr<acquisition> by,
                     grant what, instant sent)
    : loop_owner_(context.loop_owner),
      context_(context),
      name_(std::move(name)),
      how_(how),
      by_(std::move(by)),
      granted_(what),
      began_(sent)
{
    if (what.ttl)
        how_.ttl = std::chrono::floor<std::chrono::milliseconds>(*what.ttl);
    renewed(sent);
}

void held_lock::renewed(instant sent)
{
    renewed_at_ = sent;
    next_renewal_ = sent + how_.ttl / 3;
    deadline_.store(use_until(sent, how_.ttl).time_since_epoch().count(), std::memory_order_release);
}

instant held_lock::deadline() const
{
    return held() ? instant{duration{deadline_.load(std::memory_order_acquire)}} : instant{};
}

bool held_lock::renews(instant now) const
{
    return how_.watchdog && !renewing_ && (how_.max_hold == 0ms || now < began_ + how_.max_hold);
}

void held_lock::begin()
{
    if (released() || claimed_.exchange(true))
        return; // a thread was quicker
    changed_ = std::make_shared<waker>(context_.loop);
    context_.held.insert(shared_from_this());
    context_.beside.spawn("lock", watch(shared_from_this()));
}

awaitable<void> held_lock::watch(self me)
{
    co_await me->watch_until_over();
}

// A renewal runs beside this, so that one without an answer cannot delay what follows from it.
awaitable<void> held_lock::watch_until_over()
{
    auto const changed = changed_; // which a release may end
    while (held()) {
        auto const now = context_.time.now();
        auto const end = deadline();
        if (now >= end) {
            expire();
            break;
        }
        auto const next = std::min(end, begin_due_work(now));
        co_await changed->wait_until(context_.time, next);
    }
    if (released())
        co_return;
    // Others have it no earlier than where the store ends it by itself.
    co_await context_.time.sleep_until(renewed_at_ + how_.ttl);
    if (over())
        by_->discard();
}

// Returns when there is more of it.
instant held_lock::begin_due_work(instant now)
{
    auto next = instant::max();
    if (renews(now) && now >= next_renewal_) {
        renewing_ = true;
        context_.beside.spawn("lock renewal", renew(shared_from_this()));
    } else if (renews(now)) {
        next = next_renewal_;
    }
    if (!settled_ && now >= began_ + settles_after) {
        settled_ = true;
        context_.beside.spawn("lock hint", settle(shared_from_this()));
    } else if (!settled_) {
        next = std::min(next, began_ + settles_after);
    }
    return next;
}

awaitable<void> held_lock::settle(self me)
{
    auto const by = me->by_;
    if (by && me->held())
        co_await by->arm_notification();
}

void held_lock::begin_unsettling()
{
    if (settled_)
        context_.beside.spawn("lock hint", send_notification(by_));
}

awaitable<void> held_lock::send_notification(std::shared_ptr<acquisition> by)
{
    co_await by->send_notification();
}

awaitable<void> held_lock::renew(self me)
{
    auto const by = me->by_;
    if (!by)
        co_return; // released before this began
    auto const sent = me->context_.time.now();
    bool held = true;
    bool answered = false;
    try {
        held = co_await by->extend();
        answered = true;
    } catch (unavailable const& failure) {
        log::old::debug("lock {}: not renewed: {}", me->name_, failure.what());
    }
    me->renewing_ = false;
    if (answered)
        me->heard(held, sent);
    else
        me->next_renewal_ = me->context_.time.now() + pause_after_failure(me->how_.ttl);
    if (me->changed_)
        me->changed_->wake();
}

void held_lock::heard(bool still, instant sent)
{
    if (!held())
        return;
    if (!still)
        lose("the store says that it is not held");
    else if (context_.time.now() >= deadline()) // what was not provable once is not resumed
        expire();
    else
        renewed(sent);
}

void held_lock::expire()
{
    context_.counted.expired += lose("its time is over");
}

bool held_lock::lose(char const* why)
{
    auto present = phase::held;
    if (!phase_.compare_exchange_strong(present, phase::lost))
        return false;
    ++context_.counted.lost;
    log::old::warn("lock {} lost: {} token={} label={}", name_, why, granted_.token, how_.label);
    lost_.request_stop();
    begin_unsettling();
    return true;
}

awaitable<release_result> held_lock::release()
{
    auto const me = shared_from_this();
    bool const late = context_.time.now() >= deadline();
    bool const begun = claimed_.exchange(true);
    auto const before = phase_.exchange(phase::released);
    auto const until = context_.time.now() + release_limit;
    auto result = release_result::unknown;
    try {
        result = co_await give_back(until);
    } catch (std::exception const& failure) {
        log::old::error("lock {}: not released: {}", name_, failure.what());
    }
    if (late || before == phase::lost)
        result = release_result::was_lost;
    auto const tell = [me, result, late, noticed = before == phase::lost] { me->finish(result, noticed, late); };
    if (begun) {
        asio::dispatch(context_.loop, tell);
        co_return result;
    }
    // The loop does not attend to it, and never will: it can hear of it later, like of most, which are held for less.
    if (result != release_result::unknown)
        by_.reset(); // with what it occupies
    context_.posts.post(tell);
    co_return result;
}

void held_lock::finish(release_result how, bool was_noticed, bool was_late)
{
    context_.held.erase(shared_from_this());
    if (changed_)
        std::exchange(changed_, nullptr)->wake();
    switch (how) {
    case release_result::released:
        ++context_.counted.released;
        log::old::debug("lock {} released token={} label={}", name_, granted_.token, how_.label);
        break;
    case release_result::was_lost:
        context_.counted.lost += !was_noticed;
        context_.counted.expired += !was_noticed && was_late;
        log::old::warn("lock {} was lost before its release token={} label={}", name_, granted_.token, how_.label);
        lost_.request_stop();
        break;
    case release_result::unknown:
        ++context_.counted.unknown;
        log::old::warn("lock {}: nobody knows of its release token={} label={}", name_, granted_.token, how_.label);
        break;
    }
    begin_unsettling();
    if (how == release_result::unknown)
        context_.beside.spawn("lock release", let_go(shared_from_this()));
    else
        by_.reset(); // here, not where the last who asks of it goes away
}

awaitable<release_result> held_lock::give_back(instant until)
{
    for (bool first = true;; first = false) {
        try {
            bool const was_held = co_await by_->release();
            if (was_held)
                co_return release_result::released;
            // What was asked before, and had no answer, may have released it.
            co_return first ? release_result::was_lost : release_result::unknown;
        } catch (unavailable const& failure) {
            log::old::debug("lock {}: not released: {}", name_, failure.what());
        }
        if (context_.time.now() + between_releases >= until)
            co_return release_result::unknown;
        if (runs_here())
            block_thread(between_releases); // a timer would leave its descriptors with the thread
        else
            co_await context_.time.sleep_for(between_releases);
    }
}

awaitable<void> held_lock::end(instant until)
{
    auto const me = shared_from_this();
    lose("its store is closed");
    phase_ = phase::released;
    if (context_.time.now() < until)
        co_await give_back(until);
    by_.reset(); // its kind goes with the store
    changed_.reset();
}

void held_lock::abandon()
{
    phase_ = phase::released;
    context_.held.erase(shared_from_this());
    if (changed_)
        std::exchange(changed_, nullptr)->wake();
    begin_unsettling();
    context_.beside.spawn("lock release", let_go(shared_from_this()));
}

// What is left of its time others need not wait for.
awaitable<void> held_lock::let_go(self me)
{
    co_await me->give_back(me->renewed_at_ + me->how_.ttl);
    me->by_.reset();
}

} // namespace baton::lock
