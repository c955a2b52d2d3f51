#pragma once
// The offsets of a time zone from UTC, compiled. Pure; a zone_rules never changes.

#include "libs/base/time.hpp"
#include "libs/schedule/posix_rule.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace baton::schedule {

// No schedule that is read in a zone fires at or after this.
inline constexpr utc_time latest_firing = std::chrono::sys_days{std::chrono::year{9'000} / 1 / 1};

// A reading of the clock and the calendar on the wall. The context tells the zone.
using local_time = std::chrono::local_time<std::chrono::seconds>;

// A span of time, [begin, end), in which a zone keeps one offset from UTC. The next period may have the same offset.
struct zone_period {
    utc_time begin;
    utc_time end;
    std::chrono::seconds offset; // local time minus UTC

    local_time local(utc_time at) const;
    local_time local_begin() const { return local(begin); }
    local_time local_end() const { return local(end); }
};

class zone_rules {
public:
    // `changes` in order of time. `after` governs behind the last of them; without it the last offset stays for ever.
    zone_rules(std::string name, std::int32_t first_offset, std::vector<offset_change> const& changes,
               std::optional<posix_rule> after);

    std::string const& name() const { return name_; }
    zone_period at(utc_time when) const;

    // The same for two zones whose offsets are equal from 2025 to 2100. Corrections of the past do not count, because
    // no firing that is still to be planned depends on them.
    std::string fingerprint() const;

    // The rules of `before` for instants before the line, and those of `after` from the line on.
    static zone_rules spliced(zone_rules const& before, zone_rules const& after, utc_time line);

private:
    std::int32_t offset_before(std::vector<offset_change>::const_iterator change) const;
    void append(offset_change change);
    zone_period behind_table(utc_time when) const;

    std::string name_;
    std::int32_t first_offset_;
    std::vector<offset_change> changes_; // each to another offset than the one before
    std::optional<posix_rule> after_;    // the last of changes_
};

} // namespace baton::schedule
