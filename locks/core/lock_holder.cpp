#include "locks/core/lock_holder.hpp"

#include "libs/base/log.hpp"
#include "libs/base/run_here.hpp"
#include "locks/core/change_wait.hpp"

#include <boost/asio/dispatch.hpp>

#include <algorithm>

namespace baton::lock {

namespace {

std::system_error holder_error(lock_errc code, std::string const& text)
{
    return std::system_error(make_error_code(code), text);
}

void count_grant(kind_metrics& metrics, duration waited)
{
    auto const seconds = std::chrono::duration<double>(waited).count();
    auto const bucket = std::lower_bound(wait_bounds_s.begin(), wait_bounds_s.end(), seconds) - wait_bounds_s.begin();
    ++metrics.waited[static_cast<std::size_t>(bucket)];
    metrics.waited_s += seconds;
    ++metrics.acquired;
}

} // namespace

lock_holder::lock_holder(lock_context& context, std::string name, lock_options options, lock_share share)
    : context_(context),
      name_(std::move(name)),
      options_(std::move(options)),
      share_(share),
      level_(context.kind.level()),
      on_any_thread_(context.kind.on_any_thread()),
      callers_(context.store.loop)
{}

std::shared_ptr<held_lock> lock_holder::current() const
{
    std::lock_guard const lock(mutex_);
    return held_;
}

bool lock_holder::reenter()
{
    std::lock_guard const lock(mutex_);
    if (!options_.reentrant || depth_ == 0)
        return false;
    if (held_->over())
        throw holder_error(lock_errc::lost, "lock " + name_);
    ++depth_;
    return true;
}

lock_holder::first_try lock_holder::try_on_this_thread()
{
    auto const began = context_.store.time.now();
    if (reenter())
        return {true};
    if (!callers_.try_enter())
        return {};
    try {
        return run_here(try_first(began));
    } catch (...) {
        callers_.pass_on();
        throw;
    }
}

awaitable<lock_holder::first_try> lock_holder::try_first(instant began)
{
    auto const handle = make_acquisition();
    auto tried = co_await try_once(handle);
    first_try made;
    made.granted = tried.result.granted && hold(tried, began);
    if (!made.granted) // a grant that came too late does not count as a try
        made.begun = tried.result.granted ? sent_try{} : std::move(tried);
    co_return made;
}

awaitable<bool> lock_holder::acquire(instant until, std::stop_token stop, std::optional<sent_try> begun)
{
    auto& store = context_.store;
    bool const again = !begun && reenter();
    if (again)
        co_return true;
    auto const began = begun && begun->handle ? begun->sent : store.time.now();
    waiting_caller caller(store.loop, std::move(stop), store.closing);
    bool granted = false;
    std::exception_ptr failure;
    begun ? callers_.resume(caller) : callers_.enqueue(caller);
    try {
        bool const my_turn = co_await callers_.await_turn(caller, store.time, until);
        auto tried = begun ? std::move(*begun) : sent_try{};
        if (my_turn)
            granted = co_await try_until(caller, until, began, std::move(tried));
        else if (tried.failure)
            release_in_background(std::move(tried.handle));
    } catch (...) {
        failure = std::current_exception();
    }
    if (granted)
        co_return true;
    ++context_.metrics.refused;
    callers_.leave(caller);
    if (failure)
        std::rethrow_exception(failure);
    if (caller.stopped())
        throw holder_error(lock_errc::cancelled, "lock " + name_);
    log::debug("lock", "a lock was refused",
               {{"name", name_}, {"label", options_.label}, {"waited_ms", (store.time.now() - began) / 1ms}});
    co_return false;
}

// Each has an identity of its own, so that the release of one never releases another.
std::shared_ptr<acquisition> lock_holder::make_acquisition()
{
    acquisition_request request;
    request.name = name_;
    request.owner = context_.store.incarnation + "/" + std::to_string(context_.store.random.next());
    request.label = options_.label;
    request.ttl = options_.ttl;
    request.share = share_;
    return context_.kind.make_acquisition(std::move(request));
}

awaitable<sent_try> lock_holder::try_once(std::shared_ptr<acquisition> handle)
{
    sent_try tried;
    tried.handle = std::move(handle);
    tried.sent = context_.store.time.now();
    try {
        tried.result = co_await tried.handle->take();
    } catch (unavailable const& failure) {
        tried.failure = failure.what();
    }
    co_return tried;
}

awaitable<bool> lock_holder::try_until(waiting_caller& caller, instant until, instant began, sent_try tried)
{
    bool was_away = false;
    bool in_doubt = false; // an unanswered try may still take the lock later
    auto handle = tried.handle ? tried.handle : make_acquisition();
    bool is_new = tried.handle == nullptr;
    for (;;) {
        if (is_new)
            tried = co_await try_once(handle);
        is_new = true;
        if (!was_away && tried.failure)
            log::warn("lock", "the store does not answer, trying again until the caller's time ends",
                      {log::reason(*tried.failure), {"name", name_}});
        was_away = tried.failure.has_value();
        in_doubt = in_doubt || was_away;
        if (tried.result.granted && caller.stopped()) {
            release_in_background(handle);
            co_return false;
        }
        if (tried.result.granted && hold(tried, began))
            co_return true;
        if (tried.result.granted) // it expired on its way here
            tried.handle = handle = make_acquisition();
        if (caller.stopped() || context_.store.time.now() >= until)
            break;
        co_await pause(caller, tried, until, in_doubt);
        if (caller.stopped())
            break;
    }
    if (in_doubt)
        release_in_background(handle);
    if (was_away && !caller.stopped())
        throw holder_error(lock_errc::unavailable, "lock " + name_ + ": " + *tried.failure);
    co_return false;
}

awaitable<void> lock_holder::pause(waiting_caller& caller, sent_try const& tried, instant until, bool in_doubt)
{
    auto& store = context_.store;
    if (tried.failure) {
        auto const& wakeup = caller.wakeup();
        co_await wakeup->wait_until(store.time, std::min(until, store.time.now() + pause_when_unavailable));
        co_return;
    }
    change_wait wait{tried.handle, tried.result.refused, until, in_doubt};
    co_await await_change(store, caller, std::move(wait));
}

// The store may have granted it, although no caller waits for it any more.
void lock_holder::release_in_background(std::shared_ptr<acquisition> handle)
{
    held_lock_parts parts{name_, options_, std::move(handle), grant{}, context_.store.time.now()};
    auto const left = std::make_shared<held_lock>(context_, std::move(parts));
    left->release_in_background();
}

bool lock_holder::hold(sent_try const& tried, instant began)
{
    auto& store = context_.store;
    auto const granted = *tried.result.granted;
    held_lock_parts parts{name_, options_, tried.handle, granted, tried.sent};
    auto const made = std::make_shared<held_lock>(context_, std::move(parts));
    auto const now = store.time.now();
    if (now >= made->deadline()) {
        asio::dispatch(store.loop, [made] { made->release_in_background(); });
        return false;
    }
    callers_.hold_place();
    {
        std::lock_guard const lock(mutex_);
        held_ = made;
        depth_ = 1;
    }
    auto const waited = now - began;
    std::function<void()> begin = [made, &metrics = context_.metrics, over = granted.took_over, waited] {
        made->begin();
        metrics.taken_over += over;
        count_grant(metrics, waited);
    };
    if (runs_here())
        store.posts.post(std::move(begin));
    else
        begin();
    report_grant(granted, waited);
    return true;
}

void lock_holder::report_grant(grant const& granted, duration waited) const
{
    log::field const name("name", name_);
    log::field const token("token", granted.token);
    log::field const label("label", options_.label);
    log::field const waited_ms("waited_ms", waited / 1ms);
    if (granted.took_over)
        log::info("lock", "took over a lock from an expired holder", {name, token, label, waited_ms});
    else
        log::debug("lock", "acquired a lock", {name, token, label, waited_ms});
}

awaitable<release_result> lock_holder::release()
{
    std::shared_ptr<held_lock> held;
    {
        std::lock_guard const lock(mutex_);
        if (depth_ > 0 && --depth_ > 0)
            co_return held_->over() ? release_result::was_lost : release_result::released;
        held = std::exchange(held_, nullptr);
    }
    if (!held) {
        log::error("lock", "a lock was unlocked by a holder that does not hold it, ignoring the call",
                   {{"name", name_}, {"label", options_.label}});
        co_return release_result::unknown;
    }
    auto const result = co_await held->release();
    callers_.pass_on();
    co_return result;
}

} // namespace baton::lock
