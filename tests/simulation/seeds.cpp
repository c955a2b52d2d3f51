#include "tests/simulation/seeds.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <string>

std::vector<std::uint64_t> simulation_seeds(std::uint64_t count)
{
    if (char const* const one = std::getenv("BATON_SEED"); one != nullptr)
        return {std::stoull(one)};
    if (char const* const more = std::getenv("BATON_SEEDS"); more != nullptr)
        count = std::stoull(more);
    else if (char const* const most = std::getenv("BATON_MOST_SEEDS"); most != nullptr)
        count = std::min<std::uint64_t>(count, std::stoull(most));
    std::uint64_t first = 1;
    if (char const* const from = std::getenv("BATON_FIRST_SEED"); from != nullptr)
        first = std::stoull(from);
    std::vector<std::uint64_t> seeds;
    for (std::uint64_t seed = first; seed < first + count; ++seed)
        seeds.push_back(seed);
    return seeds;
}

void check_seeds(std::uint64_t count, std::string (*run)(std::uint64_t seed))
{
    for (auto const seed : simulation_seeds(count)) {
        auto const wrong = run(seed);
        INFO("BATON_SEED=" << seed << "\n" << wrong);
        CHECK(wrong.empty());
    }
}
