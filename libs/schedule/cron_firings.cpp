#include "libs/schedule/cron_firings.hpp"

#include <algorithm>

namespace baton::schedule {

namespace {

namespace chr = std::chrono;
using namespace std::chrono_literals;
using protocol::gap_policy;
using protocol::overlap_policy;

constexpr chr::years horizon{48};
constexpr utc_time first_year = chr::sys_days{chr::year{1800} / 1 / 1};
constexpr auto longest_change = 26h; // Pacific/Apia left out a day

// The search within one period of the zone, with the readings that the change at its begin skipped.
class period_search {
public:
    period_search(cron const& expression, time_zone zone, clock_policy policy)
        : expression_(expression), zone_(zone), policy_(policy)
    {}

    // The first firing in [from, stop) that belongs to the period of `from`; `from` lies in the period.
    std::optional<utc_time> first(zone_period const& here, utc_time from, utc_time stop) const
    {
        auto reading = here.local(from);
        std::optional<utc_time> of_gap;
        if (from < here.begin + longest_change) {
            auto const before = zone_.at(here.begin - 1s);
            if (policy_.overlap == overlap_policy::first)
                reading = std::max(reading, before.local_end());
            of_gap = first_of_gap(before.local_end(), here, from);
        }
        auto const own = first_own(here, reading, stop);
        return of_gap && own ? std::min(of_gap, own) : of_gap ? of_gap : own;
    }

private:
    std::optional<utc_time> first_own(zone_period const& here, local_time reading, utc_time stop) const
    {
        auto const shown = expression_.first(reading, std::min(here.local_end(), here.local(stop)));
        if (!shown)
            return std::nullopt;
        // Then this reading and all later ones of the period come a second time.
        bool const may_repeat =
            policy_.overlap == overlap_policy::second && *shown >= here.local_end() - longest_change;
        if (may_repeat && *shown >= zone_.at(here.end).local_begin())
            return std::nullopt;
        return utc_time{shown->time_since_epoch() - here.offset};
    }

    // The first firing at or after `from` of the readings from `skipped` to the period's begin.
    std::optional<utc_time> first_of_gap(local_time skipped, zone_period const& here, utc_time from) const
    {
        auto const end = here.local_begin();
        if (policy_.gap == gap_policy::skip || skipped >= end)
            return std::nullopt;
        if (policy_.gap == gap_policy::next_valid)
            return from <= here.begin && expression_.first(skipped, end) ? std::optional{here.begin} : std::nullopt;
        auto const passed = chr::duration_cast<chr::seconds>(std::max<duration>(from - here.begin, 0s));
        auto const found = expression_.first(skipped + passed, end);
        return found ? std::optional<utc_time>{here.begin + (*found - skipped)} : std::nullopt;
    }

    cron const& expression_;
    time_zone zone_;
    clock_policy policy_;
};

// The instant until which a firing can be.
utc_time end_of_search(cron_fields const& fields, utc_time from)
{
    if (fields.listed_years)
        return chr::sys_days{chr::year{year_set::last + 1} / chr::January / 2};
    return std::min<utc_time>(from + horizon, latest_firing);
}

// `from`, or an instant shortly before the first year that the expression lists.
utc_time skip_years(cron_fields const& fields, utc_time from)
{
    if (!fields.listed_years)
        return from;
    auto const date = chr::year_month_day{chr::floor<chr::days>(from)};
    for (auto year = int{date.year()}; year <= year_set::last + 1; ++year)
        if (fields.years.has(year) || fields.years.has(year - 1) || fields.years.has(year + 1))
            return std::max<utc_time>(from, chr::sys_days{chr::year{year} / chr::January / 1});
    return chr::sys_days{chr::year{year_set::last + 2} / chr::January / 1};
}

} // namespace

std::optional<utc_time> first_firing(cron const& expression, time_zone zone, utc_time from, clock_policy policy)
{
    if (from >= latest_firing)
        return std::nullopt;
    from = skip_years(expression.fields(), chr::ceil<chr::seconds>(std::max(from, first_year)));
    auto const stop = end_of_search(expression.fields(), from);
    period_search const search(expression, zone, policy);
    while (from < stop) {
        auto const period = zone.at(from);
        if (auto const found = search.first(period, from, stop))
            return found;
        from = period.end;
    }
    return std::nullopt;
}

std::optional<utc_time> first_firing(cron const& expression, time_zone zone, utc_time from)
{
    return first_firing(expression, zone, from, expression.usual_policy());
}

} // namespace baton::schedule
