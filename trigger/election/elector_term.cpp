// The course of a term: candidacy, the work and what ends it, and the release of the lease.
#include "libs/base/log.hpp"
#include "libs/base/loop_meter.hpp"
#include "libs/base/outage.hpp"
#include "trigger/election/elector.hpp"

namespace baton::trigger {

using namespace asio::experimental::awaitable_operators;

namespace {

constexpr duration try_again = 100ms;  // after a renewal without an answer
constexpr duration stand_back = 150ms; // after a forfeited term: the holder of the guard's lock should lead

} // namespace

awaitable<void> elector::vote_to_the_end(duty const& lead)
{
    co_await vote(lead);
    co_await guard_->end();
    if (term_ != 0) // the guard won it in the last moment
        co_await give_up(term_);
}

awaitable<void> elector::vote(duty const& lead)
{
    while (!stopping_) {
        co_await stand();
        auto const epoch = term_;
        if (epoch == 0)
            continue;
        // The first to end ends the term: the duty, the lease, or a cause from outside.
        co_await (serve(lead) || supervised("the renewal", hold()) || supervised("the watch over the term", watch()) ||
                  await_end());
        if (deadman_ != nullptr)
            deadman_->disarm();
        bool const forfeited = forfeited_;
        co_await give_up(epoch);
        if (forfeited && !stopping_)
            co_await deps_.time.sleep_for(stand_back);
        while (!stopping_ && term_ == 0 && is_resting())
            co_await bell_.wait_until(deps_.time, rests_until_);
    }
}

awaitable<void> elector::stand()
{
    bool ensured = false;
    while (!stopping_ && term_ == 0) {
        try {
            if (!ensured)
                co_await deps_.lease.ensure();
            ensured = true;
            co_await tick();
        } catch (unavailable const& failure) {
            report(verdict::unknown, 0, failure.what());
        }
        if (term_ != 0)
            co_return;
        co_await bell_.wait_until(deps_.time, next_tick());
    }
}

awaitable<void> elector::hold()
{
    auto next = next_tick();
    while (mastership_.epoch() != 0) {
        co_await bell_.wait_until(deps_.time, next);
        verdict outcome = verdict::unknown;
        try {
            outcome = co_await tick();
            next = next_tick();
        } catch (unavailable const& failure) {
            // Neither renewed nor lost: the old deadline stands.
            log::outage(failure, "election", "renewing the lease failed, trying again in 100 ms",
                        {log::reason(failure.what()), {"epoch", mastership_.epoch()}});
            next = deps_.time.now() + try_again;
        }
        if (outcome == verdict::leave)
            co_return;
    }
}

awaitable<void> elector::serve(duty const& lead)
{
    auto const epoch = mastership_.epoch();
    if (epoch == 0) // lost before it was taken up
        co_return;
    auto const began = deps_.time.now();
    std::exception_ptr failure;
    try {
        auto work = lead(epoch);
        co_await named("the term of mastership", std::move(work));
    } catch (...) {
        failure = std::current_exception();
    }
    auto const why = failure ? failure_text(failure) : std::nullopt;
    if (why)
        rest_after_failure(*why, deps_.time.now() - began);
    if (mastership_.epoch() == epoch && why_ended_.empty())
        note_end(why ? "its duty failed: " + *why : "its work ended");
}

// The other nodes may lead meanwhile. What fails at all of them does not make one term follow the other without end.
void elector::rest_after_failure(std::string const& why, duration led)
{
    auto const pause = pauses_.after(led);
    rests_until_ = deps_.time.now() + pause;
    log::error("election", "the work of this term failed, this node gives up the lease and does not lead for a while",
               {log::reason(why), {"epoch", mastership_.epoch()}, {"pause_ms", pause / 1ms}});
}

awaitable<void> elector::await_end()
{
    while (!stopping_ && !cut_short_)
        co_await end_bell_.wait();
}

awaitable<void> elector::watch()
{
    auto const epoch = mastership_.epoch();
    for (;;) {
        for (auto now = standing::active; now == standing::active || now == standing::lost;) {
            co_await deps_.time.sleep_until(mastership_.deadline());
            now = mastership_.at(deps_.time.now());
        }
        log::warn("election", "no renewal was acknowledged in time, the term is suspended until one is",
                  {{"epoch", epoch}});
        while (mastership_.at(deps_.time.now()) != standing::active) {
            if (mastership_.epoch() == 0)
                co_return;
            co_await deps_.time.sleep_for(10ms);
        }
        log::info("election", "the term is resumed", {{"epoch", epoch}});
    }
}

awaitable<void> elector::give_up(std::int64_t epoch)
{
    ended_ = std::max(ended_, epoch);
    bool const ours = std::exchange(forfeited_, false) || mastership_.epoch() != 0;
    if (mastership_.epoch() != 0) {
        mastership_.lose();
        auto const now = deps_.time.now();
        trust("lost", now, now);
    }
    try {
        bool released = false;
        if (ours)
            released = co_await deps_.lease.release(self_.incarnation, epoch);
        if (released)
            released_ = epoch;
        if (released && on_end_)
            on_end_();
        log::info("election", released ? "released the lease" : "the lease was over already", {{"epoch", epoch}});
    } catch (unavailable const& failure) {
        log::warn("election", "releasing the lease failed, it will expire",
                  {log::reason(failure.what()), {"epoch", epoch}});
    }
    term_ = 0;
    if (guard_)
        guard_->term_ended();
}

} // namespace baton::trigger
