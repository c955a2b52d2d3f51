#pragma once
// Where the clock of a zone changes, its policies act on the readings of a schedule.

#include "libs/schedule/cron.hpp"
#include "libs/schedule/time_zone.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

namespace baton::schedule {

// The search through the periods of a zone, each with the readings that the change at its begin skipped.
// Readings::first(from, until) gives the first reading in [from, until).
template <class Readings>
class period_search {
public:
    period_search(Readings const& readings, time_zone zone, clock_policy policy)
        : readings_(readings), zone_(zone), policy_(policy)
    {}

    // The first firing in [from, stop).
    std::optional<utc_time> first(utc_time from, utc_time stop) const
    {
        while (from < stop) {
            auto const period = zone_.at(from);
            if (auto const found = first_in(period, from, stop))
                return found;
            from = period.end;
        }
        return std::nullopt;
    }

private:
    // The first that belongs to this period; `from` lies in it.
    std::optional<utc_time> first_in(zone_period const& here, utc_time from, utc_time stop) const
    {
        auto reading = here.local(from);
        std::optional<utc_time> of_gap;
        if (from < here.begin + longest_change) {
            auto const before = zone_.at(here.begin - std::chrono::seconds{1});
            if (policy_.overlap == protocol::overlap_policy::first)
                reading = std::max(reading, before.local_end());
            of_gap = first_of_gap(before.local_end(), here, from);
        }
        auto const own = first_own(here, reading, stop);
        return of_gap && own ? std::min(of_gap, own) : of_gap ? of_gap : own;
    }

    std::optional<utc_time> first_own(zone_period const& here, local_time reading, utc_time stop) const
    {
        auto const shown = readings_.first(reading, std::min(here.local_end(), here.local(stop)));
        if (!shown)
            return std::nullopt;
        // Then this reading and all later ones of the period come a second time.
        bool const may_repeat =
            policy_.overlap == protocol::overlap_policy::second && *shown >= here.local_end() - longest_change;
        if (may_repeat && *shown >= zone_.at(here.end).local_begin())
            return std::nullopt;
        return utc_time{shown->time_since_epoch() - here.offset};
    }

    // The first firing at or after `from` of the readings from `skipped` to the period's begin.
    std::optional<utc_time> first_of_gap(local_time skipped, zone_period const& here, utc_time from) const
    {
        auto const end = here.local_begin();
        if (policy_.gap == protocol::gap_policy::skip || skipped >= end)
            return std::nullopt;
        if (policy_.gap == protocol::gap_policy::next_valid)
            return from <= here.begin && readings_.first(skipped, end) ? std::optional{here.begin} : std::nullopt;
        auto const passed =
            std::chrono::duration_cast<std::chrono::seconds>(std::max<duration>(from - here.begin, duration{}));
        auto const found = readings_.first(skipped + passed, end);
        return found ? std::optional<utc_time>{here.begin + (*found - skipped)} : std::nullopt;
    }

    static constexpr std::chrono::hours longest_change{26}; // Pacific/Apia left out a day

    Readings const& readings_;
    time_zone zone_;
    clock_policy policy_;
};

} // namespace baton::schedule
