#pragma once
// Shared by the tests of locks on Redis.

#include "locks/tests/support/private_redis.hpp"
#include "tests/support/await.hpp"

#include <catch2/catch.hpp>

#include <baton/lock/store.hpp>
#include <chrono>
#include <functional>
#include <string>

namespace baton::test {

inline bool has_key(private_redis& server, std::string const& name)
{
    return server.ask("EXISTS 'baton:lock:{" + name + "}'") == "1";
}

// Does not expire during a test.
inline lock::lock_options long_lived()
{
    lock::lock_options how;
    how.ttl = std::chrono::hours{1};
    return how;
}

// A call that the store's limit of a second ends takes no longer, even on a busy machine.
inline constexpr std::chrono::seconds bounded{20};

inline lock::store_options impatient()
{
    lock::store_options how;
    how.limit = std::chrono::seconds{1};
    return how;
}

inline std::string failure_of(std::function<void()> const& call)
{
    try {
        call();
    } catch (std::system_error const& failure) {
        CHECK(failure.code() == lock::lock_errc::unavailable);
        return failure.what();
    }
    return "none";
}

// The duration of a call.
inline std::chrono::milliseconds time_of(std::function<void()> const& call)
{
    auto const began = std::chrono::steady_clock::now();
    call();
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began);
}

} // namespace baton::test
