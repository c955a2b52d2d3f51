#pragma once
// Declarations that docs/locks.md has made before.

#include <chrono>
#include <cstdint>
#include <mutex>
#include <shared_mutex>

using namespace std::chrono_literals;

void deduct(int item, std::uint64_t token);
