#include "locks/core/holding.hpp"

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
struct holding::waiter {
    waiter(workshop& in, std::stop_token asked)
        : stop(std::move(asked)),
          closing(in.closing),
          bell(std::make_shared<waker>(in.loop)),
          when_stopped(stop, ring{in.loop, bell}),
          when_closing(closing, ring{in.loop, bell})
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
struct holding::watch {
    watch(asio::any_io_executor const& loop, std::shared_ptr<contender> who, std::shared_ptr<waker> rung)
        : by(std::move(who)), bell(std::move(rung)), left(loop)
    {}

    std::shared_ptr<contender> by;
    std::shared_ptr<waker> bell; // of the waiter
    waker left;                  // rung by the waiter
    bool over = false;
    std::exception_ptr failure = {}; // of what was waited for, or its end by the waiter
};

holding::holding(workshop& in, std::string name, lock_options how, share of)
    : in_(in),
      name_(std::move(name)),
      how_(std::move(how)),
      share_(of),
      level_(in.of.level()),
      on_any_thread_(in.of.on_any_thread())
{}

std::shared_ptr<tenure> holding::current() const
{
    std::lock_guard const lock(mutex_);
    return tenure_;
}

bool holding::enter_again()
{
    std::lock_guard const lock(mutex_);
    if (!how_.reentrant || depth_ == 0)
        return false;
    if (tenure_->over())
        throw failure_of(lock_errc::lost, "lock " + name_);
    ++depth_;
    return true;
}

holding::opening holding::open()
{
    auto const began = in_.time.now();
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

awaitable<holding::opening> holding::open_here(instant began)
{
    auto const by = make_contender();
    auto tried = co_await try_once(by);
    opening made;
    made.granted = tried.made.granted && install(tried, began);
    if (!made.granted)
        made.begun = tried.made.granted ? trial{} : std::move(tried); // too late an answer is no beginning
    co_return made;
}

awaitable<bool> holding::acquire(instant until, std::stop_token stop, std::optional<trial> begun)
{
    bool const again = !begun && enter_again();
    if (again)
        co_return true;
    auto const began = begun && begun->by ? begun->sent : in_.time.now();
    waiter self(in_, std::move(stop));
    bool granted = false;
    std::exception_ptr failure;
    line_up(self, begun.has_value());
    try {
        bool const mine = co_await await_turn(self, until);
        auto tried = begun ? std::move(*begun) : trial{};
        if (mine)
            granted = co_await contend(self, until, began, std::move(tried));
        else if (tried.failed)
            give_up(std::move(tried.by));
    } catch (...) {
        failure = std::current_exception();
    }
    if (granted)
        co_return true;
    ++in_.counted.refused;
    leave(self);
    if (failure)
        std::rethrow_exception(failure);
    if (self.stopped())
        throw failure_of(lock_errc::cancelled, "lock " + name_);
    log::old::debug("lock {} refused label={} waited_ms={}", name_, how_.label, (in_.time.now() - began) / 1ms);
    co_return false;
}

void holding::line_up(waiter& self, bool has_turn)
{
    std::lock_guard const lock(mutex_);
    if (has_turn)
        queue_.front() = &self;
    else
        queue_.push_back(&self);
}

bool holding::has_turn(waiter const& self) const
{
    std::lock_guard const lock(mutex_);
    return queue_.front() == &self;
}

awaitable<bool> holding::await_turn(waiter& self, instant until)
{
    while (!has_turn(self) && !self.stopped() && in_.time.now() < until)
        co_await self.bell->wait_until(in_.time, until);
    co_return has_turn(self) && !self.stopped();
}

void holding::leave(waiter const& self)
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
void holding::pass_on()
{
    std::shared_ptr<waker> next;
    {
        std::lock_guard const lock(mutex_);
        queue_.pop_front();
        if (!queue_.empty())
            next = queue_.front()->bell;
    }
    if (next)
        asio::dispatch(in_.loop, [next = std::move(next)] { next->wake(); });
}

// Each with an identity of its own: the release of one is none of another.
std::shared_ptr<contender> holding::make_contender()
{
    bid offer;
    offer.name = name_;
    offer.owner = in_.incarnation + "/" + std::to_string(in_.random.next());
    offer.label = how_.label;
    offer.ttl = how_.ttl;
    offer.of = share_;
    return in_.of.contend(std::move(offer));
}

awaitable<trial> holding::try_once(std::shared_ptr<contender> by)
{
    trial tried;
    tried.by = std::move(by);
    tried.sent = in_.time.now();
    try {
        tried.made = co_await tried.by->take();
    } catch (unavailable const& failure) {
        tried.failed = failure.what();
    }
    co_return tried;
}

awaitable<bool> holding::contend(waiter& self, instant until, instant began, trial tried)
{
    std::optional<std::string> away; // why the store did not answer
    bool in_doubt = false;           // a try without an answer may yet take it, whenever that comes
    auto by = tried.by ? tried.by : make_contender();
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
            by = make_contender();
        auto const now = in_.time.now();
        if (self.stopped() || now >= until)
            break;
        if (!away)
            co_await await_change(self, by, tried.made.refused, until, in_doubt);
        else
            co_await self.bell->wait_until(in_.time, std::min(until, now + pause_when_away));
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
void holding::give_up(std::shared_ptr<contender> by)
{
    auto const left = std::make_shared<tenure>(in_, name_, how_, std::move(by), grant{}, in_.time.now());
    left->abandon();
}

// Whoever is stopped leaves at once; in doubt when what the contender has in progress is over, since a release is next.
awaitable<void> holding::await_change(waiter& self, std::shared_ptr<contender> by, refusal what, instant until,
                                      bool in_doubt)
{
    auto const waits = std::make_shared<watch>(in_.loop, std::move(by), self.bell);
    in_.beside.spawn("lock wait", watch_change(waits, in_.time, what, until));
    while (!waits->over && !self.stopped())
        co_await self.bell->wait();
    waits->left.wake();
    while (!waits->over && in_doubt)
        co_await self.bell->wait();
    if (waits->failure)
        std::rethrow_exception(waits->failure);
}

awaitable<void> holding::watch_change(std::shared_ptr<watch> waits, time_source& time, refusal what, instant until)
{
    using namespace asio::experimental::awaitable_operators;
    co_await (hint(*waits, time, what, until) || waits->left.wait());
    waits->over = true;
    waits->bell->wake();
}

// A failure is told by the watch: || would wait for the first success.
awaitable<void> holding::hint(watch& waits, time_source& time, refusal what, instant until)
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

bool holding::install(trial const& tried, instant began)
{
    auto const what = *tried.made.granted;
    auto const made = std::make_shared<tenure>(in_, name_, how_, tried.by, what, tried.sent);
    auto const now = in_.time.now();
    if (now >= made->deadline()) {
        asio::dispatch(in_.loop, [made] { made->abandon(); });
        return false;
    }
    {
        std::lock_guard const lock(mutex_);
        queue_.front() = nullptr; // the turn is the holder's now, until it leaves
        tenure_ = made;
        depth_ = 1;
    }
    auto const waited = now - began;
    std::function<void()> begin = [made, &in = in_, over = what.took_over, waited] {
        made->begin();
        in.counted.taken_over += over;
        count_grant(in.counted, waited);
    };
    if (runs_here())
        in_.posts.post(std::move(begin));
    else
        begin();
    if (what.took_over)
        log::old::info("lock {} taken over token={} label={} waited_ms={}", name_, what.token, how_.label,
                       waited / 1ms);
    else
        log::old::debug("lock {} acquired token={} label={} waited_ms={}", name_, what.token, how_.label, waited / 1ms);
    return true;
}

awaitable<release_result> holding::release()
{
    std::shared_ptr<tenure> held;
    {
        std::lock_guard const lock(mutex_);
        if (depth_ > 0 && --depth_ > 0)
            co_return tenure_->over() ? release_result::was_lost : release_result::released;
        held = std::exchange(tenure_, nullptr);
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
