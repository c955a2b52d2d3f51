// Hours of tasks with policies of concurrency, rates, priorities and start_within, with limits of services and of a
// project, with runs that last, people who run tasks by hand, also by force, and change the limits of services and the
// project, and masters that die. An independent computation
// (limits_oracle) says which execution runs when, is skipped and why, or waits. BATON_LIMITS is the number of minutes
// (16; 6 in slow builds). scripts/year --limits plays more.

#include "tests/simulation/limits_oracle.hpp"
#include "tests/simulation/limits_world.hpp"
#include "tests/simulation/seeds.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace limits_sim {

namespace {

duration span_of_a_run()
{
    bool const slow = std::getenv("BATON_MOST_SEEDS") != nullptr; // a build with a sanitizer
    char const* const given = std::getenv("BATON_LIMITS");
    return given != nullptr ? std::stoi(given) * 1min : slow ? 6min : 16min;
}

std::string play(std::uint64_t seed)
{
    auto const began = std::chrono::steady_clock::now();
    limits_world all(seed, span_of_a_run());
    auto const seen = all.pass();
    auto const wrong = all.faults() + broken_rules(seen) + judge(seen);
    auto const took = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    std::size_t skipped = 0;
    std::size_t replaced = 0;
    for (auto const& one : seen.executions) {
        skipped += one.state == "skipped" ? 1 : 0;
        replaced += one.state == "cancelled" ? 1 : 0;
    }
    std::printf("seed %llu: %zu executions of %zu tasks, %zu skipped, %zu replaced, %zu masters, %.1f s\n",
                static_cast<unsigned long long>(seed), seen.executions.size(), seen.tasks.size(), skipped, replaced,
                seen.terms.size(), took);
    std::fflush(stdout);
    if (std::getenv("BATON_DUMP") != nullptr)
        std::printf("%s", text_of(seen).c_str());
    return wrong;
}

} // namespace

TEST_CASE("tasks with policies and limits run, wait and are skipped as an independent computation says, while masters "
          "come and go")
{
    check_seeds(2, play);
}

} // namespace limits_sim
