#include "libs/schedule/cron_dates.hpp"

namespace baton::schedule {

namespace {

namespace chr = std::chrono;

struct month_shape {
    unsigned length;        // in days
    unsigned first_weekday; // of day 1; Sunday is 0
    unsigned weekday(unsigned day) const { return (first_weekday + day - 1) % 7; }
};

month_shape shape_of(chr::year_month month)
{
    return {unsigned{(month / chr::last).day()}, chr::weekday{chr::sys_days{month / 1}}.c_encoding()};
}

std::uint32_t bit(unsigned day)
{
    return std::uint32_t{1} << day;
}

std::uint32_t days_of_weekdays(unsigned weekdays, month_shape month)
{
    // The seven weekdays from that of day 1 on, five times.
    std::uint64_t const week = (weekdays | weekdays << 7) >> month.first_weekday & 0x7FU;
    std::uint64_t const all = week | week << 7 | week << 14 | week << 21 | week << 28;
    return static_cast<std::uint32_t>(all << 1 & 0xFFFFFFFEU);
}

// The day from Monday to Friday that is nearest to this one.
std::uint32_t near(unsigned day, month_shape month)
{
    if (day < 1 || day > month.length)
        return 0;
    auto const weekday = month.weekday(day);
    if (weekday == 6)
        return bit(day == 1 ? 3 : day - 1);
    if (weekday == 0)
        return bit(day == month.length ? day - 2 : day + 1);
    return bit(day);
}

std::uint32_t days_of_rule(day_rule const& rule, month_shape month)
{
    using enum day_rule::kind;
    switch (rule.by) {
    case from_end:
        return rule.n < month.length ? bit(month.length - rule.n) : 0;
    case near_day:
        return near(rule.n, month);
    case near_end:
        return near(month.length - rule.n, month);
    case nth_weekday:
        return days_of_weekdays(1U << rule.weekday, month) & 0x7FU << (7 * (rule.n - 1) + 1);
    case last_of_weekdays:
        return days_of_weekdays(1U << rule.weekday, month) & 0x7FU << (month.length - 6);
    case none:
        break;
    }
    return 0;
}

} // namespace

std::uint32_t days_in(cron_fields const& fields, chr::year_month month)
{
    auto const shape = shape_of(month);
    auto const existing = static_cast<std::uint32_t>((std::uint64_t{1} << (shape.length + 1)) - 2);
    if (fields.rule.by != day_rule::kind::none)
        return days_of_rule(fields.rule, shape) & existing;
    auto const by_weekday = days_of_weekdays(fields.weekdays, shape);
    return (fields.either_day ? fields.days | by_weekday : fields.days & by_weekday) & existing;
}

std::optional<chr::year_month> admitted_month(cron_fields const& fields, chr::year_month month)
{
    for (; int{month.year()} < 10'000; month += chr::months{1}) {
        if (fields.listed_years && !fields.years.has(int{month.year()})) {
            if (int{month.year()} >= year_set::last)
                return std::nullopt;
            month = std::max(month.year(), chr::year{year_set::first - 1}) / chr::December;
        } else if ((fields.months >> unsigned{month.month()} & 1U) != 0) {
            return month;
        }
    }
    return std::nullopt;
}

bool has_a_date(cron_fields const& fields)
{
    // Every date falls on every weekday within 28 years that have no exception among the leap years.
    int const first = fields.listed_years ? year_set::first : 2'000;
    int const last = fields.listed_years ? year_set::last : 2'027;
    std::optional month = chr::year{first} / chr::January;
    while ((month = admitted_month(fields, *month)) && int{month->year()} <= last) {
        if (days_in(fields, *month) != 0)
            return true;
        *month += chr::months{1};
    }
    return false;
}

} // namespace baton::schedule
