#pragma once

#include "libs/base/asio.hpp"

#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace baton {

// Whether this thread is within run_here(): then what would be handed to another thread may as well be done here, since
// nobody but the caller waits for this one.
bool runs_here() noexcept;

namespace detail {

// One call, with a loop to itself.
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

// Runs `part` on the calling thread to its end, and returns or throws what it does. What it awaits must not belong to
// another loop.
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
