// How long it takes to find the next firing of a cron expression: build/PRESET/bench/bench_cron_next
//
// Prints the median, the 99th percentile and the worst of the searches over mixed expressions of both dialects, in
// zones with and without clock changes, from instants of the years 2026 to 2099. Each search is timed three times and
// counts by the shortest, so that the machine's interruptions are not taken for searches.

#include "libs/base/random.hpp"
#include "libs/schedule/schedule.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

using namespace baton;

namespace {

using protocol::cron_dialect;

struct sample {
    char const* expression;
    cron_dialect dialect;
};

constexpr auto crontab = cron_dialect::crontab;
constexpr auto quartz = cron_dialect::quartz;
constexpr std::array samples{
    sample{"* * * * *", crontab},        sample{"* * * * * *", crontab},        sample{"*/5 * * * *", crontab},
    sample{"30 2 * * *", crontab},       sample{"0 9-17 * * mon-fri", crontab}, sample{"0 0 1 * *", crontab},
    sample{"0 0 13 * fri", crontab},     sample{"0 6 1 1,7 *", crontab},        sample{"0 0 29 2 *", crontab},
    sample{"0 0 29 2 */7", crontab}, // every 28 years, or 40
    sample{"59 23 31 12 *", crontab},    sample{"0/10 * * * * ?", quartz},      sample{"0 30 2 * * ?", quartz},
    sample{"0 0 2 L * ?", quartz},       sample{"0 0 2 LW * ?", quartz},        sample{"0 0 2 15W * ?", quartz},
    sample{"0 0 2 ? * 6#5", quartz},     sample{"0 0 2 ? 2 6#5", quartz}, // every 28 years, or 40
    sample{"0 0 2 29 2 ? 2096", quartz}, sample{"0 30 2 28 3 ? 2099", quartz}};
constexpr std::array zones{
    "UTC",          "America/New_York",  "Europe/Berlin", "Australia/Lord_Howe", "America/St_Johns",
    "Asia/Kolkata", "Africa/Casablanca", "Pacific/Apia"};

struct timed {
    double micros;
    std::string what;
};

double micros_of(schedule::timetable const& times, utc_time from)
{
    auto shortest = std::chrono::nanoseconds::max();
    for (int again = 0; again < 3; ++again) {
        auto const begin = std::chrono::steady_clock::now();
        auto const found = times.first(from);
        shortest = std::min<std::chrono::nanoseconds>(shortest, std::chrono::steady_clock::now() - begin);
        if (found && *found < from)
            std::abort();
    }
    return static_cast<double>(shortest.count()) / 1e3;
}

std::vector<timed> measure(std::uint64_t seed, int searches)
{
    seeded_random random(seed);
    auto const begin = from_rfc3339("2026-01-01T00:00:00Z");
    auto const span = static_cast<std::uint64_t>((from_rfc3339("2099-12-31T00:00:00Z") - begin) / 1s);
    std::vector<timed> all;
    for (auto const& each : samples) {
        for (auto const* zone : zones) {
            protocol::schedule_spec spec{.kind = protocol::schedule_kind::cron, .cron = each.expression, .zone = zone};
            spec.rules.dialect = each.dialect;
            schedule::timetable const times(spec, begin);
            for (int i = 0; i < searches; ++i) {
                auto const from = begin + std::chrono::seconds{random.below(span)};
                all.push_back({micros_of(times, from), spec.cron + " in " + zone + " from " + to_rfc3339(from)});
            }
        }
    }
    return all;
}

} // namespace

int main()
{
    auto all = measure(1, 500);
    std::ranges::sort(all, {}, &timed::micros);
    auto const at = [&](double part) {
        return all[static_cast<std::size_t>(part * static_cast<double>(all.size() - 1))].micros;
    };
    std::printf("%zu searches: median %.2f us, p99 %.2f us, worst %.2f us (%s)\n", all.size(), at(0.5), at(0.99),
                all.back().micros, all.back().what.c_str());
    return at(0.5) < 5 && all.back().micros < 1'000 ? 0 : 1;
}
