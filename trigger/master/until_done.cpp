#include "trigger/master/until_done.hpp"

#include "libs/base/backoff.hpp"
#include "libs/base/error.hpp"
#include "libs/base/log.hpp"
#include "libs/base/loop.hpp"

#include <exception>
#include <string>
#include <utility>

namespace baton::trigger {

namespace {

constexpr backoff::settings pauses_of_a_step{100ms, 30s, 1h};

// The text of a failure after which the step runs again. Throws the failure if it does not.
std::string cause_of(std::exception_ptr const& failure)
{
    auto cause = failure_text(failure);
    try {
        std::rethrow_exception(failure);
    } catch (not_master const&) {
        throw;
    } catch (...) {
        if (!cause)
            throw; // cancelled
    }
    return std::move(*cause);
}

} // namespace

awaitable<void> until_done(term& of, char const* name, std::function<awaitable<void>()> step)
{
    backoff between_tries(pauses_of_a_step);
    std::string logged;
    for (;;) {
        std::exception_ptr failure;
        try {
            auto once = step();
            co_await std::move(once);
        } catch (...) {
            failure = std::current_exception();
        }
        if (!failure)
            co_return;
        auto const cause = cause_of(failure);
        auto const pause = between_tries.after(duration{});
        if (cause != logged)
            log::warn("term", "a step of the master failed, it is tried again after a pause that grows up to 30 s",
                      {log::reason(cause), {"step", name}, {"pause_ms", pause / 1ms}, {"epoch", of.epoch()}});
        logged = cause;
        co_await of.time.sleep_for(pause);
    }
}

} // namespace baton::trigger
