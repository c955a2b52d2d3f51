#include "libs/lock/named/holding.hpp"

#include "libs/base/log.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>

namespace baton::lock {

namespace {

constexpr duration pause_when_away = 250ms;

std::system_error failure_of(lock_errc why, std::string const& what)
{
    return std::system_error(make_error_code(why), what);
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

holding::holding(workshop& in, std::string name, lock_options how)
    : in_(in), name_(std::move(name)), how_(std::move(how)), level_(in.of.level())
{}

std::shared_ptr<tenure> holding::current() const
{
    std::lock_guard const lock(mutex_);
    return tenure_;
}

awaitable<bool> holding::acquire(instant until, std::stop_token stop)
{
    if (how_.reentrant && depth_ > 0) {
        if (current()->over())
            throw failure_of(lock_errc::lost, "lock " + name_);
        ++depth_;
        co_return true;
    }
    auto const began = in_.time.now();
    waiter self(in_, std::move(stop));
    bool granted = false;
    std::exception_ptr failure;
    queue_.push_back(&self);
    try {
        bool const has_turn = co_await enter(self, until);
        if (has_turn)
            granted = co_await contend(self, until);
    } catch (...) {
        failure = std::current_exception();
    }
    if (granted) {
        depth_ = 1;
        queue_.front() = nullptr; // the turn is the holder's now, until it leaves
        count_grant(in_.time.now() - began);
        co_return true;
    }
    ++in_.counted.refused;
    if (queue_.front() == &self)
        leave();
    else
        queue_.remove(&self);
    if (failure)
        std::rethrow_exception(failure);
    if (self.stopped())
        throw failure_of(lock_errc::cancelled, "lock " + name_);
    log::debug("lock {} refused label={}", name_, how_.label);
    co_return false;
}

awaitable<bool> holding::enter(waiter& self, instant until)
{
    while (queue_.front() != &self && !self.stopped() && in_.time.now() < until)
        co_await self.bell->wait_until(in_.time, until);
    co_return queue_.front() == &self && !self.stopped();
}

void holding::leave()
{
    queue_.pop_front();
    if (!queue_.empty())
        queue_.front()->bell->wake();
}

// Each with an identity of its own: the release of one is none of another.
std::shared_ptr<contender> holding::make_contender()
{
    bid offer;
    offer.name = name_;
    offer.owner = in_.incarnation + "/" + std::to_string(in_.random.next());
    offer.label = how_.label;
    offer.ttl = how_.ttl;
    return in_.of.contend(std::move(offer));
}

awaitable<bool> holding::contend(waiter& self, instant until)
{
    using namespace asio::experimental::awaitable_operators;
    auto by = make_contender();
    std::string away;      // why the store did not answer
    bool in_doubt = false; // a try without an answer may yet take it, whenever that comes
    for (;;) {
        auto const sent = in_.time.now();
        attempt made;
        std::string failed;
        try {
            made = co_await by->take();
        } catch (unavailable const& failure) {
            failed = failure.what();
        }
        if (away.empty() && !failed.empty())
            log::warn("lock {}: the store does not answer: {}", name_, failed);
        away = failed;
        in_doubt = in_doubt || !failed.empty();
        if (made.granted && self.stopped()) {
            give_up(by); // nobody waits for it any more
            co_return false;
        }
        if (made.granted && install(by, *made.granted, sent))
            co_return true;
        if (made.granted) // an answer that took as long as the grant's time
            by = make_contender();
        auto const now = in_.time.now();
        if (self.stopped() || now >= until)
            break;
        if (away.empty())
            co_await (hint(*by, made.refused, until) || self.bell->wait());
        else
            co_await self.bell->wait_until(in_.time, std::min(until, now + pause_when_away));
        if (self.stopped())
            break;
    }
    if (in_doubt)
        give_up(by);
    if (!away.empty() && !self.stopped())
        throw failure_of(lock_errc::unavailable, "lock " + name_ + ": " + away);
    co_return false;
}

// Gives back in the background what it holds, or may hold.
void holding::give_up(std::shared_ptr<contender> by)
{
    auto const left = std::make_shared<tenure>(in_, name_, how_, std::move(by), grant{}, in_.time.now());
    left->abandon();
}

// A failure here would be waited for: || ends with the first success.
awaitable<void> holding::hint(contender& by, refusal what, instant until)
{
    try {
        co_await by.await_change(what, until);
        co_return;
    } catch (unavailable const&) {
        // The next try says more of it.
    }
    co_await in_.time.sleep_until(std::min(until, in_.time.now() + pause_when_away));
}

bool holding::install(std::shared_ptr<contender> by, grant what, instant sent)
{
    auto const made = std::make_shared<tenure>(in_, name_, how_, std::move(by), what, sent);
    if (in_.time.now() >= made->deadline()) {
        made->abandon();
        return false;
    }
    {
        std::lock_guard const lock(mutex_);
        tenure_ = made;
    }
    made->begin();
    if (what.took_over) {
        ++in_.counted.taken_over;
        log::info("lock {} taken over token={} label={}", name_, what.token, how_.label);
    } else {
        log::debug("lock {} acquired token={} label={}", name_, what.token, how_.label);
    }
    return true;
}

void holding::count_grant(duration waited)
{
    auto const seconds = std::chrono::duration<double>(waited).count();
    auto const bucket = std::lower_bound(wait_bounds_s.begin(), wait_bounds_s.end(), seconds) - wait_bounds_s.begin();
    ++in_.counted.waited[static_cast<std::size_t>(bucket)];
    in_.counted.waited_s += seconds;
    ++in_.counted.acquired;
}

awaitable<release_result> holding::release()
{
    if (depth_ == 0) {
        log::error("lock {}: unlocked by a holder that does not hold it label={}", name_, how_.label);
        co_return release_result::unknown;
    }
    if (depth_ > 1) {
        --depth_;
        co_return current()->over() ? release_result::was_lost : release_result::released;
    }
    std::shared_ptr<tenure> held;
    {
        std::lock_guard const lock(mutex_);
        held = std::exchange(tenure_, nullptr);
    }
    depth_ = 0;
    auto result = release_result::unknown;
    try {
        result = co_await held->release();
    } catch (std::exception const& failure) {
        log::error("lock {}: not released: {}", name_, failure.what());
    }
    leave();
    co_return result;
}

} // namespace baton::lock
