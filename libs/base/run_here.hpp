#pragma once
// Runs a coroutine on the calling thread, for callers that block anyway: no thread switch.

#include "libs/base/asio.hpp"

#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace baton {

// True inside run_here(). Blocking work need not be handed to another thread then, because only the caller of
// run_here() waits for this thread.
bool runs_here() noexcept;

namespace detail {

// The event loop of one call of run_here().
class here {
public:
    here();
    ~here();
    here(here const&) = delete;
    here& operator=(here const&) = delete;

    asio::io_context& loop() { return *loop_; }

private:
    std::unique_ptr<asio::io_context> loop_;
};

} // namespace detail

// Runs `part` to its end on the calling thread and returns its result or throws its exception. `part` must not await
// anything that belongs to another loop.
template <class Result>
Result run_here(awaitable<Result> part)
{
    detail::here inside;
    auto& loop = inside.loop();
    std::exception_ptr failure;
    if constexpr (std::is_void_v<Result>) {
        asio::co_spawn(loop, std::move(part), [&](std::exception_ptr const& thrown) { failure = thrown; });
        loop.run();
        if (failure)
            std::rethrow_exception(failure);
    } else {
        std::optional<Result> result;
        asio::co_spawn(loop, std::move(part), [&](std::exception_ptr const& thrown, Result value) {
            failure = thrown;
            result.emplace(std::move(value));
        });
        loop.run();
        if (failure)
            std::rethrow_exception(failure);
        return std::move(*result);
    }
}

} // namespace baton
