// Pairs of features, actions and events in a simulated cluster of real nodes, clients and web: drawn from the seed, and
// judged by code that shares nothing with trigger/. BATON_PAIRS=FILE appends the pairs that were drawn to a file;
// scripts/pairs plays as many seeds as its caller likes and prints the table of pairs.

#include "libs/base/log.hpp"
#include "tests/simulation/pairs_judge.hpp"
#include "tests/simulation/pairs_table.hpp"
#include "tests/simulation/pairs_world.hpp"
#include "tests/simulation/seeds.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace pairs_sim {

namespace {

std::uint64_t constexpr seeds_of_ci = 60;

std::string without_digits(std::string_view line)
{
    std::string out;
    std::copy_if(line.begin(), line.end(), std::back_inserter(out), [](char c) { return c < '0' || c > '9'; });
    return out;
}

// Takes the log of the process during a run: only the constant text of warnings and errors is of interest.
class log_watch {
public:
    explicit log_watch(std::map<std::string, int>& lines)
        : taken_(baton::log::take_over([&lines](baton::log::level level, std::string_view line) {
              if (std::getenv("BATON_TEST_LOG") != nullptr)
                  std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
              if (level == baton::log::level::warning || level == baton::log::level::error)
                  ++lines[without_digits(line)];
          }))
    {}

private:
    std::shared_ptr<void> taken_;
};

std::string play(std::uint64_t seed)
{
    std::map<std::string, int> lines;
    facts seen;
    {
        log_watch const watch(lines);
        pairs_world world(seed);
        seen = world.play();
    }
    seen.log_lines = std::move(lines);
    auto const found = judge(seen);
    append_pairs(seen);
    std::string wrong;
    std::size_t known = 0;
    for (auto const& each : found)
        if (each.known.empty())
            wrong += std::to_string(each.invariant) + ": " + each.text + "\n";
        else
            ++known;
    std::printf("seed %llu: %s, %zu executions of %zu tasks, %zu handlers, %zu actions, %zu terms, %zu known, %.2f s\n",
                static_cast<unsigned long long>(seed), seen.dialect.c_str(), seen.rows.size(), seen.tasks.size(),
                seen.calls.size(), seen.actions.size(), seen.terms.size(), known, seen.processor_seconds);
    std::map<std::string, std::string> explained; // one violation of each fault is enough
    for (auto const& each : found)
        if (!each.known.empty())
            explained.emplace(each.known, each.text);
    for (auto const& [fault, text] : explained)
        std::printf("    known: %s: %s\n", fault.c_str(), text.c_str());
    for (auto const& each : found) // not by Catch2, which breaks lines
        if (each.known.empty())
            std::printf("%s", report_of(seen, each).c_str());
    if (std::getenv("BATON_DUMP") != nullptr) // all tasks
        for (auto const& task : seen.tasks)
            std::printf("%s", report_of(seen, {0, task.number, 0, task.name}).c_str());
    std::fflush(stdout);
    return wrong;
}

} // namespace

TEST_CASE("pairs of features, actions and events break no promise of the scheduler")
{
    check_seeds(seeds_of_ci, play);
}

TEST_CASE("all pairs are listed", "[.table]")
{
    append_all_pairs();
    CHECK(all_pairs().size() > 1'000);
}

} // namespace pairs_sim
