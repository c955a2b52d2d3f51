#pragma once

#include <cstdint>
#include <vector>

// The seeds of a simulation: 1 to `count`, or to BATON_SEEDS where that is set, or the one that BATON_SEED names.
std::vector<std::uint64_t> simulation_seeds(std::uint64_t count);
