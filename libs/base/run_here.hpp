#pragma once

#include "libs/base/asio.hpp"

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

namespace baton {

// Whether this thread is within run_here(): then what would be handed to another thread may as well be done here, since
// nobody but the caller waits for this one.
bool runs_here() noexcept;

namespace detail {

class here {
public:
    here() noexcept;
    ~here();
    here(here const&) = delete;
    here& operator=(here const&) = delete;
};

} // namespace detail

// Runs `part` on the calling thread to its end, and returns or throws what it does. What it awaits must not belong to
// another loop.
template <class Result>
Result run_here(awaitable<Result> part)
{
    asio::io_context loop(1);
    detail::here const inside;
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
