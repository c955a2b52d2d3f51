// A target of libFuzzer: parses a cron expression, searches its firings and describes it. scripts/fuzz-cron builds it.
//
// Input: a byte for dialect and policies, one for the zone, four for the seed of hashed values, four for the instant
// from which is searched, and then the expression.

#include "libs/base/error.hpp"
#include "libs/schedule/clock_notes.hpp"
#include "libs/schedule/schedule.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

using namespace baton;

namespace {

constexpr std::array<char const*, 8> zones{
    "UTC",          "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/St_Johns", "Africa/Casablanca",
    "Pacific/Apia", "Asia/Kolkata"};

void require(bool holds)
{
    if (!holds)
        std::abort();
}

std::uint32_t word_at(std::uint8_t const* data)
{
    std::uint32_t word = 0;
    std::memcpy(&word, data, sizeof word);
    return word;
}

protocol::schedule_spec spec_of(std::uint8_t const* data, std::size_t size)
{
    protocol::schedule_spec spec{.kind = protocol::schedule_kind::cron};
    spec.cron.assign(reinterpret_cast<char const*>(data) + 10, size - 10);
    spec.zone = zones[data[1] % zones.size()];
    spec.rules.dialect = (data[0] & 1) != 0 ? protocol::cron_dialect::quartz : protocol::cron_dialect::crontab;
    if (auto const gap = data[0] >> 1 & 3; gap != 3)
        spec.rules.gap = static_cast<protocol::gap_policy>(gap);
    if (auto const overlap = data[0] >> 3 & 3; overlap != 3)
        spec.rules.overlap = static_cast<protocol::overlap_policy>(overlap);
    spec.rules.hash_seed = word_at(data + 2);
    return spec;
}

// The firing after `from` is a fixed point, and the first one from everywhere between.
void check_search(schedule::timetable const& times, utc_time from)
{
    auto const found = times.first(from);
    if (!found)
        return;
    require(*found >= from);
    require(found->time_since_epoch() % 1s == 0s);
    require(times.first(*found) == found);
    require(times.first(from + (*found - from) / 2) == found);
    auto const next = times.first(*found + schedule::tick);
    require(!next || *next > *found);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    if (size < 10)
        return 0;
    auto const spec = spec_of(data, size);
    auto const from = utc_time{std::chrono::seconds{word_at(data + 6)}}; // until 2106
    try {
        schedule::timetable const times(spec, utc_time{});
        check_search(times, from);
        require(!schedule::describe(spec).empty());
        (void)schedule::clock_notes(spec, utc_time{}, from);
    } catch (invalid_input const& wrong) {
        require(wrong.field() == "schedule.cron");
        require(std::string(wrong.what()).find("column ") != std::string::npos);
    }
    return 0;
}
