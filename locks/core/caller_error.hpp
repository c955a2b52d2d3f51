#pragma once
// Turns an exception on the loop into one for a caller's thread. The original stays on the loop: exceptions share
// state, and two threads must not destroy it at the same time.

#include "libs/base/asio.hpp"

#include <exception>
#include <memory>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

namespace baton::lock {

struct caller_error {
    std::error_code code; // zero: no error
    std::string text;

    std::system_error exception() const { return std::system_error(code, text); }
};

caller_error describe(std::exception_ptr const& failure);

// Awaits `part` and writes its exception to `error`.
template <class Result>
awaitable<Result> caught(awaitable<Result> part, std::shared_ptr<caller_error> error)
{
    try {
        co_return co_await std::move(part);
    } catch (...) {
        *error = describe(std::current_exception());
    }
    if constexpr (!std::is_void_v<Result>)
        co_return Result{};
}

} // namespace baton::lock
