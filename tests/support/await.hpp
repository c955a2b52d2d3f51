#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace baton::test {

inline bool await(std::function<bool()> const& condition, std::chrono::seconds limit = std::chrono::seconds{10})
{
    auto const until = std::chrono::steady_clock::now() + limit;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > until)
            return false;
        std::this_thread::sleep_for(std::chrono::milliseconds{20}); // a look costs some processes
    }
    return true;
}

} // namespace baton::test
