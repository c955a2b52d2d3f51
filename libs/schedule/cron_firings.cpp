#include "libs/schedule/cron_firings.hpp"

#include "libs/schedule/period_search.hpp"

#include <algorithm>

namespace baton::schedule {

namespace {

namespace chr = std::chrono;

constexpr chr::years horizon{48};
constexpr utc_time first_year = chr::sys_days{chr::year{1800} / 1 / 1};
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
    return period_search<cron>(expression, zone, policy).first(from, stop);
}

std::optional<utc_time> first_firing(cron const& expression, time_zone zone, utc_time from)
{
    return first_firing(expression, zone, from, expression.usual_policy());
}

} // namespace baton::schedule
