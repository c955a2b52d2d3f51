#pragma once
// What the reader of docs/locks.md has already.

#include <chrono>
#include <cstdint>
#include <mutex>
#include <shared_mutex>

using namespace std::chrono_literals;

void deduct(int item, std::uint64_t token);
