#pragma once

#include <cstdint>
#include <vector>

// The seeds of a simulation: `count` of them (or BATON_SEEDS; at most BATON_MOST_SEEDS, for slow builds) from 1 (or
// BATON_FIRST_SEED) on; or the one that BATON_SEED names.
std::vector<std::uint64_t> simulation_seeds(std::uint64_t count);
