#pragma once

#include <cstdint>
#include <string>
#include <vector>

// The seeds of a simulation: `count` seeds from 1 on. The environment can change that: BATON_SEED selects one seed,
// BATON_SEEDS the count, BATON_FIRST_SEED the first, and BATON_MOST_SEEDS limits the count for slow builds.
std::vector<std::uint64_t> simulation_seeds(std::uint64_t count);

// Plays `run` with each of these seeds. A text that it returns is a failure, reported with the seed.
void check_seeds(std::uint64_t count, std::string (*run)(std::uint64_t seed));
