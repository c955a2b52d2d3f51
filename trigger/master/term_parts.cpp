#include "trigger/master/term_parts.hpp"

#include "libs/base/log.hpp"
#include "libs/base/loop_meter.hpp"

#include <utility>

namespace baton::trigger {

namespace {

constexpr backoff::settings pauses{100ms, 30s, term_parts::well};

bool is_loss_of_fence(std::exception_ptr const& failure)
{
    try {
        std::rethrow_exception(failure);
    } catch (not_master const&) {
        return true;
    } catch (...) {
        return false;
    }
}

} // namespace

void term_parts::put(char const* name, work run, bool restarts)
{
    parts_.push_back({name, std::move(run), restarts, backoff(pauses)});
}

awaitable<bool> term_parts::run()
{
    running_ = parts_.size();
    for (auto& one : parts_)
        group_.spawn(one.name, keep(one));
    auto end = wait();
    co_await group_.around(std::move(end));
    if (failure_)
        std::rethrow_exception(failure_);
    co_return !fence_raised_;
}

// Until a part ends the term, all have returned, or this is cancelled.
awaitable<void> term_parts::wait()
{
    // The parts that are cancelled then do not count as failed.
    std::shared_ptr<void> const over(nullptr, [this](void*) { ending_ = true; });
    while (!failure_ && !fence_raised_ && running_ != 0) {
        auto const next = note_recoveries();
        co_await bell_.wait_until(term_.time, next);
    }
}

awaitable<void> term_parts::keep(part& one)
{
    for (;;) {
        auto const failure = co_await attempt(one);
        if (ending_)
            co_return;
        if (!failure)
            break;
        if (ends_term(one, failure)) {
            bell_.wake();
            co_return;
        }
        auto const cause = failure_text(failure);
        auto const pause = note_failure(one, cause.value_or("one of its coroutines was cancelled"));
        bell_.wake();
        co_await term_.time.sleep_for(pause);
    }
    one.runs = true; // it is done
    one.began = term_.time.now() - well;
    --running_;
    bell_.wake();
}

awaitable<std::exception_ptr> term_parts::attempt(part& one)
{
    std::exception_ptr failure;
    one.began = term_.time.now();
    one.runs = true;
    if (one.trouble)
        bell_.wake();
    try {
        auto all = one.run();
        co_await named(one.name, std::move(all));
    } catch (...) {
        failure = std::current_exception();
    }
    one.runs = false;
    co_return failure;
}

bool term_parts::ends_term(part const& one, std::exception_ptr const& failure)
{
    if (is_loss_of_fence(failure))
        fence_raised_ = true;
    else if (!one.restarts && !failure_)
        failure_ = std::make_exception_ptr(part_failed(one.name, failure_text(failure).value_or("cancelled")));
    return fence_raised_ || failure_;
}

// Returns the pause before the next try.
duration term_parts::note_failure(part& one, std::string const& cause)
{
    auto const pause = one.pauses.after(term_.time.now() - one.began);
    bool const news = !one.trouble || one.trouble->cause != cause;
    if (!one.trouble)
        one.trouble = part_trouble{one.name, term_.clock.now(), cause};
    one.trouble->cause = cause;
    if (news)
        log::error("term", "a part of the master failed, it starts again after a pause that grows up to 30 s",
                   {log::reason(cause), {"part", one.name}, {"pause_ms", pause / 1ms}, {"epoch", term_.epoch()}});
    return pause;
}

// Returns when to look the next time.
instant term_parts::note_recoveries()
{
    auto const now = term_.time.now();
    auto next = now + 1h;
    for (auto& one : parts_) {
        if (!one.trouble || !one.runs)
            continue;
        if (now - one.began < well) {
            next = std::min(next, one.began + well);
            continue;
        }
        one.trouble.reset();
        log::info("term", "a part of the master works again", {{"part", one.name}, {"epoch", term_.epoch()}});
    }
    return next;
}

std::vector<part_trouble> term_parts::troubles() const
{
    std::vector<part_trouble> all;
    for (auto const& one : parts_)
        if (one.trouble)
            all.push_back(*one.trouble);
    return all;
}

std::optional<part_trouble> term_parts::trouble_of(std::string const& name) const
{
    for (auto const& one : parts_)
        if (one.trouble && one.name == name)
            return one.trouble;
    return std::nullopt;
}

} // namespace baton::trigger
