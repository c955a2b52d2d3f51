#include "locks/core/lock_holder.hpp"

#include "libs/base/log.hpp"
#include "libs/base/run_here.hpp"

#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>

namespace baton::lock {

namespace {

constexpr duration pause_when_away = 250ms;

std::system_error failure_of(lock_errc why, std::string const& what)
{
    return std::system_error(make_error_code(why), what);
}

void count_grant(kind_metrics& counted, duration waited)
{
    auto const seconds = std::chrono::duration<double>(waited).count();
    auto const bucket = std::lower_bound(wait_bounds_s.begin(), wait_bounds_s.end(), seconds) - wait_bounds_s.begin();
    ++counted.waited[static_cast<std::size_t>(bucket)];
    counted.waited_s += seconds;
    ++counted.acquired;
}

} // namespace

// One call of acquire. Both its stops are heard wherever it waits.
struct lock_holder::waiter {
    waiter(lock_context& context, std::stop_token asked)
        : stop(std::move(asked)),
          closing(context.closing),
          bell(std::make_shared<waker>(context.loop)),
          when_stopped(stop, ring{context.loop, bell}),
          when_closing(closing, ring{context.loop, bell})
    {}

    bool stopped() const { return stop.stop_requested() || closing.stop_requested(); }

    struct ring {
        asio::any_io_executor loop;
        std::shared_ptr<waker> bell;
        void operator()() const
        {
            asio::post(loop, [bell = bell] { bell->wake(); });
        }
    };

    std::stop_token stop;
    std::stop_token closing;
    std::shared_ptr<waker> bell;
    std::stop_callback<ring> when_stopped;
    std::stop_callback<ring> when_closing;
};

// A wait for a change, on the loop. What sleeps in the server ends with its statement, so it goes on beside its waiter.
struct lock_holder::watch {
    watch(asio::any_io_executor const& loop, std::shared_ptr<acquisition> who, std::shared_ptr<waker> rung)
        : by(std::move(who)), bell(std::move(rung)), left(loop)
    {}

    std::shared_ptr<acquisition> by;
    std::shared_ptr<waker> bell; // of the waiter
    waker left;                  // rung by the waiter
    bool over = false;
    std::exception_ptr failure = {}; // of what was waited for, or its end by the waiter
};

lock_holder::lock_holder(lock_context& context, std::string name, lock_options how, lock_share of)
    : context_(context),
      name_(std::move(name)),
      how_(std::move(how)),
      share_(of),
      level_(context.kind.level()),
      on_any_thread_(context.kind.on_any_thread())
{}

std::shared_ptr<held_lock> lock_holder::current() const
{
    std::lock_guard const lock(mutex_);
    return held_;
}

bool lock_holder::enter_again()
{
    std::lock_guard const lock(mutex_);
    if (!how_.reentrant || depth_ == 0)
        return false;
    if (held_->over())
        throw failure_of(lock_errc::lost, "lock " + name_);
    ++depth_;
    return true;
}

lock_holder::first_try lock_holder::open()
{
    auto const began = context_.time.now();
    if (enter_again())
        return {true};
    {
        std::lock_guard const lock(mutex_);
        if (!queue_.empty())
            return {};
        queue_.push_back(nullptr);
    }
    try {
        return run_here(open_here(began));
    } catch (...) {
        pass_on();
        throw;
    }
}

awaitable<lock_holder::first_try> lock_holder::open_here(instant began)
{
    auto const by = make_acquisition();
    auto tried = co_await try_once(by);
    first_try made;
    made.granted = tried.made.granted && install(tried, began);
    if (!made.granted)
        made.begun = tried.made.granted ? sent_try{} : std::move(tried); // too late an answer is no beginning
    co_return made;
}

awaitable<bool> lock_holder::acquire(instant until, std::stop_token stop, std::optional<sent_try> begun)
{
    bool const again = !begun && enter_again();
    if (again)
        co_return true;
    auto const began = begun && begun->by ? begun->sent : context_.time.now();
    waiter self(context_, std::move(stop));
    bool granted = false;
    std::exception_ptr failure;
    line_up(self, begun.has_value());
    try {
        bool const mine = co_await await_turn(self, until);
        auto tried = begun ? std::move(*begun) : sent_try{};
        if (mine)
            granted = co_await contend(self, until, began, std::move(tried));
        else if (tried.failed)
            give_up(std::move(tried.by));
    } catch (...) {
        failure = std::current_exception();
    }
    if (granted)
        co_return true;
    ++context_.counted.refused;
    leave(self);
    if (failure)
        std::rethrow_exception(failure);
    if (self.stopped())
        throw failure_of(lock_errc::cancelled, "lock " + name_);
    log::old::debug("lock {} refused label={} waited_ms={}", name_, how_.label, (context_.time.now() - began) / 1ms);
    co_return false;
}

void lock_holder::line_up(waiter& self, bool has_turn)
{
    std::lock_guard const lock(mutex_);
    if (has_turn)
        queue_.front() = &self;
    else
        queue_.push_back(&self);
}

bool lock_holder::has_turn(waiter const& self) const
{
    std::lock_guard const lock(mutex_);
    return queue_.front() == &self;
}

awaitable<bool> lock_holder::await_turn(waiter& self, instant until)
{
    while (!has_turn(self) && !self.stopped() && context_.time.now() < until)
        co_await self.bell->wait_until(context_.time, until);
    co_return has_turn(self) && !self.stopped();
}

void lock_holder::leave(waiter const& self)
{
    {
        std::lock_guard const lock(mutex_);
        if (queue_.front() != &self) {
            std::erase(queue_, &self);
            return;
        }
    }
    pass_on();
}

// The first has done with it.
void lock_holder::pass_on()
{
    std::shared_ptr<waker> next;
    {
        std::lock_guard const lock(mutex_);
        queue_.pop_front();
        if (!queue_.empty())
            next = queue_.front()->bell;
    }
    if (next)
        asio::dispatch(context_.loop, [next = std::move(next)] { next->wake(); });
}

// Each with an identity of its own: the release of one is none of another.
std::shared_ptr<acquisition> lock_holder::make_acquisition()
{
    acquisition_request request;
    request.name = name_;
    request.owner = context_.incarnation + "/" + std::to_string(context_.random.next());
    request.label = how_.label;
    request.ttl = how_.ttl;
    request.share = share_;
    return context_.kind.make_acquisition(std::move(request));
}

awaitable<sent_try> lock_holder::try_once(std::shared_ptr<acquisition> by)
{
    sent_try tried;
    tried.by = std::move(by);
    tried.sent = context_.time.now();
    try {
        tried.made = co_await tried.by->take();
    } catch (unavailable const& failure) {
        tried.failed = failure.what();
    }
    co_return tried;
}

awaitable<bool> lock_holder::contend(waiter& self, instant until, instant began, sent_try tried)
{
    std::optional<std::string> away; // why the store did not answer
    bool in_doubt = false;           // a try without an answer may yet take it, whenever that comes
    auto by = tried.by ? tried.by : make_acquisition();
    bool is_new = tried.by == nullptr;
    for (;;) {
        if (is_new)
            tried = co_await try_once(by);
        is_new = true;
        if (!away && tried.failed)
            log::old::warn("lock {}: the store does not answer: {}", name_, *tried.failed);
        away = tried.failed;
        in_doubt = in_doubt || away;
        if (tried.made.granted && self.stopped()) {
            give_up(by); // nobody waits for it any more
            co_return false;
        }
        if (tried.made.granted && install(tried, began))
            co_return true;
        if (tried.made.granted) // an answer that took as long as the grant's time
            by = make_acquisition();
        auto const now = context_.time.now();
        if (self.stopped() || now >= until)
            break;
        if (!away)
            co_await await_change(self, by, tried.made.refused, until, in_doubt);
        else
            co_await self.bell->wait_until(context_.time, std::min(until, now + pause_when_away));
        if (self.stopped())
            break;
    }
    if (in_doubt)
        give_up(by);
    if (away && !self.stopped())
        throw failure_of(lock_errc::unavailable, "lock " + name_ + ": " + *away);
    co_return false;
}

// Gives back in the background what it holds, or may hold.
void lock_holder::give_up(std::shared_ptr<acquisition> by)
{
    auto const left = std::make_shared<held_lock>(context_, name_, how_, std::move(by), grant{}, context_.time.now());
    left->abandon();
}

// Whoever is stopped leaves at once; in doubt when what the acquisition has in progress is over, since a release is
// next.
awaitable<void> lock_holder::await_change(waiter& self, std::shared_ptr<acquisition> by, refusal what, instant until,
                                          bool in_doubt)
{
    auto const waits = std::make_shared<watch>(context_.loop, std::move(by), self.bell);
    context_.beside.spawn("lock wait", watch_change(waits, context_.time, what, until));
    while (!waits->over && !self.stopped())
        co_await self.bell->wait();
    waits->left.wake();
    while (!waits->over && in_doubt)
        co_await self.bell->wait();
    if (waits->failure)
        std::rethrow_exception(waits->failure);
}

awaitable<void> lock_holder::watch_change(std::shared_ptr<watch> waits, time_source& time, refusal what, instant until)
{
    using namespace asio::experimental::awaitable_operators;
    co_await (hint(*waits, time, what, until) || waits->left.wait());
    waits->over = true;
    waits->bell->wake();
}

// A failure is told by the watch: || would wait for the first success.
awaitable<void> lock_holder::hint(watch& waits, time_source& time, refusal what, instant until)
{
    auto const by = waits.by;
    bool away = false;
    try {
        co_await by->await_change(what, until);
    } catch (unavailable const&) {
        away = true; // the next try says more of it
    } catch (std::exception const&) {
        waits.failure = std::current_exception();
    }
    if (away)
        co_await time.sleep_until(std::min(until, time.now() + pause_when_away));
}

bool lock_holder::install(sent_try const& tried, instant began)
{
    auto const what = *tried.made.granted;
    auto const made = std::make_shared<held_lock>(context_, name_, how_, tried.by, what, tried.sent);
    auto const now = context_.time.now();
    if (now >= made->deadline()) {
        asio::dispatch(context_.loop, [made] { made->abandon(); });
        return false;
    }
    {
        std::lock_guard const lock(mutex_);
        queue_.front() = nullptr; // the turn is the holder's now, until it leaves
        held_ = made;
        depth_ = 1;
    }
    auto const waited = now - began;
    std::function<void()> begin = [made, &context = context_, over = what.took_over, waited] {
        made->begin();
        context.counted.taken_over += over;
        count_grant(context.counted, waited);
    };
    if (runs_here())
        context_.posts.post(std::move(begin));
    else
        begin();
    if (what.took_over)
        log::old::info("lock {} taken over token={} label={} waited_ms={}", name_, what.token, how_.label,
                       waited / 1ms);
    else
        log::old::debug("lock {} acquired token={} label={} waited_ms={}", name_, what.token, how_.label, waited / 1ms);
    return true;
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
        log::old::error("lock {}: unlocked by a holder that does not hold it label={}", name_, how_.label);
        co_return release_result::unknown;
    }
    auto const result = co_await held->release();
    pass_on();
    co_return result;
}

} // namespace baton::lock
