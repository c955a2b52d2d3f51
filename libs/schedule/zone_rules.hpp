#pragma once
// The offsets of a time zone from UTC. Pure; a zone_rules never changes.

#include "libs/schedule/zone_file.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace baton::schedule {

// No schedule that is read in a zone fires at or after this.
inline constexpr utc_time latest_firing = std::chrono::sys_days{std::chrono::year{9'000} / 1 / 1};

// A reading of the clock and the calendar on the wall. The context tells the zone.
using local_time = std::chrono::local_time<std::chrono::seconds>;

// A span of time, [begin, end), in which a zone keeps one offset from UTC. Its neighbours have other offsets.
struct zone_period {
    utc_time begin;
    utc_time end;
    std::chrono::seconds offset; // local time minus UTC

    local_time local(utc_time at) const;
    local_time local_begin() const { return local(begin); }
    local_time local_end() const { return local(end); }
};

// The content of a zone file, whose rules hold before the line `until`.
struct zone_source {
    std::shared_ptr<std::string const> file; // null: UTC
    std::chrono::sys_seconds until = far_future;
};
using zone_sources = std::vector<zone_source>; // in order of time; the last one has no line

// Those of `before` for instants before the line, and those of `after` from the line on.
zone_sources spliced(zone_sources const& before, zone_sources const& after, utc_time line);

class zone_rules {
public:
    // Leaves out the files that cannot be read (file_rules::read); the rules before them go on. Null without any.
    static std::shared_ptr<zone_rules const> read(std::string name, zone_sources const& sources);

    std::string const& name() const { return name_; }
    zone_period at(utc_time when) const;

private:
    struct part {
        file_rules rules;
        std::chrono::sys_seconds until;
    };
    using parts = std::vector<part>;

    zone_rules(std::string name, parts all) : name_(std::move(name)), parts_(std::move(all)) {}
    offset_span within(parts::const_iterator one, std::chrono::sys_seconds when) const;

    std::string name_;
    parts parts_; // not empty
};

using zone_pointer = std::shared_ptr<zone_rules const>;

} // namespace baton::schedule
