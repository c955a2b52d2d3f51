// A year of a mixed schedule, planned by masters that come and go and edited meanwhile, through both changes of the
// clock. The ledger must show the firings that year_oracle computes, each once, and those skipped that the misfire
// policies leave out. BATON_YEAR is the number of tasks (200; 50 in slow builds). scripts/year plays more.

#include "tests/simulation/seeds.hpp"
#include "tests/simulation/year_world.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace year_sim {

namespace {

std::size_t task_count()
{
    bool const slow = std::getenv("BATON_MOST_SEEDS") != nullptr; // a build with a sanitizer
    char const* const given = std::getenv("BATON_YEAR");
    return given != nullptr ? std::stoul(given) : slow ? 50 : 200;
}

utc_time const begin = from_rfc3339("2026-03-01T00:00:00Z"); // as every simulation

year_oracle::calendar make(std::string name, std::string mode, nlohmann::json content, std::size_t zone)
{
    year_oracle::calendar made;
    content["name"] = name;
    content["zone"] = zones()[zone].name;
    made.name = std::move(name);
    made.mode = std::move(mode);
    made.definition = std::move(content);
    made.zone = &zones()[zone];
    return made;
}

std::string play(std::uint64_t seed)
{
    auto const began = std::chrono::steady_clock::now();
    year all(seed, task_count());
    all.pass();
    auto wrong = all.wrong();
    std::size_t runs = 0;
    std::size_t skipped = 0;
    for (auto const& task : all.tasks) {
        runs += task.runs().size();
        skipped += task.skipped.size();
    }
    auto const took = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    std::printf(
        "seed %llu: %zu firings of %zu tasks, %zu skipped, %d edits, %d pauses, %lld masters, %.1f s, %.0f firings/s\n",
        static_cast<unsigned long long>(seed), runs, all.tasks.size(), skipped, all.edits, all.pauses,
        static_cast<long long>(all.epoch - 5), took, static_cast<double>(runs) / took);
    std::fflush(stdout);
    return wrong;
}

} // namespace

std::vector<year_oracle::zone_year> const& zones()
{
    static auto const all = [] {
        std::vector<year_oracle::zone_year> out;
        for (auto const* name : {"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/St_Johns",
                                 "Africa/Casablanca", "Pacific/Apia", "Asia/Kolkata"})
            out.push_back(year_oracle::look_at_zone(name, begin, minutes_of_a_year + 24 * 60));
        return out;
    }();
    return all;
}

std::vector<year_oracle::calendar> const& calendars()
{
    static auto const all = [] {
        auto weekends = make("weekends", "exclude", {{"weekly", {{{"days", {"sat", "sun"}}}}}}, 1);
        weekends.weekly = {{{0, 6}, 0, 0}};
        auto nights = make(
            "nights", "allow",
            {{"weekly", {{{"days", {"mon", "tue", "wed", "thu", "fri"}}, {"from", "18:00"}, {"until", "08:00"}}}}}, 2);
        nights.weekly = {{{1, 2, 3, 4, 5}, 18 * 60, 8 * 60}};
        auto holidays = make("holidays", "exclude",
                             {{"dates", {"2026-04-03/2026-04-06", "2026-05-14"}}, {"yearly", {"12-24", "01-01"}}}, 0);
        holidays.dates = {{20'260'403, 20'260'406}, {20'260'514, 20'260'514}};
        holidays.yearly = {1224, 101};
        return std::vector{weekends, nights, holidays};
    }();
    return all;
}

TEST_CASE("a year of a mixed schedule, planned by masters that come and go, fires as an independent computation says")
{
    check_seeds(2, play);
}

} // namespace year_sim
