#include "libs/schedule/posix_rule.hpp"

#include <algorithm>

namespace baton::schedule {

namespace {

namespace chr = std::chrono;

constexpr std::int32_t most_hours = 167; // RFC 8536, 3.3.1

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Reads from the front of a text. Each method returns nothing if the text does not begin so.
class rule_reader {
public:
    explicit rule_reader(std::string_view text) : left_(text) {}

    bool at_end() const { return left_.empty(); }

    bool take(char wanted)
    {
        bool const found = !left_.empty() && left_.front() == wanted;
        if (found)
            left_.remove_prefix(1);
        return found;
    }

    bool abbreviation()
    {
        bool const quoted = take('<');
        auto const ends = [&](char c) { return quoted ? c == '>' : is_digit(c) || c == '+' || c == '-' || c == ','; };
        auto const length = static_cast<std::size_t>(std::ranges::find_if(left_, ends) - left_.begin());
        left_.remove_prefix(length);
        return length > 0 && (!quoted || take('>'));
    }

    std::optional<int> number(int least, int most)
    {
        int value = 0;
        std::size_t length = 0;
        while (length < left_.size() && length < 4 && is_digit(left_[length]))
            value = value * 10 + (left_[length++] - '0');
        left_.remove_prefix(length);
        return length > 0 && value >= least && value <= most ? std::optional(value) : std::nullopt;
    }

    // "[+-]hh[:mm[:ss]]" in seconds.
    std::optional<std::int32_t> span()
    {
        bool const negative = take('-');
        if (!negative)
            take('+');
        auto const hours = number(0, most_hours);
        if (!hours)
            return std::nullopt;
        std::int32_t value = *hours * 3'600;
        for (std::int32_t const unit : {60, 1}) {
            if (!take(':'))
                break;
            auto const part = number(0, 59);
            if (!part)
                return std::nullopt;
            value += *part * unit;
        }
        return negative ? -value : value;
    }

    std::optional<rule_date> date()
    {
        auto found = day();
        if (!found || !take('/'))
            return found;
        auto const time = span();
        if (!time)
            return std::nullopt;
        found->time = *time;
        return found;
    }

private:
    std::optional<rule_date> day()
    {
        rule_date found;
        if (take('M')) {
            auto const month = number(1, 12);
            auto const week = month && take('.') ? number(1, 5) : std::nullopt;
            auto const weekday = week && take('.') ? number(0, 6) : std::nullopt;
            if (!weekday)
                return std::nullopt;
            found.month = *month;
            found.week = *week;
            found.day = *weekday;
            return found;
        }
        found.by = take('J') ? rule_date::kind::julian : rule_date::kind::day_of_year;
        auto const number_of_day = found.by == rule_date::kind::julian ? number(1, 365) : number(0, 365);
        if (!number_of_day)
            return std::nullopt;
        found.day = *number_of_day;
        return found;
    }

    std::string_view left_;
};

// As if the clock of the wall showed UTC.
chr::sys_seconds reading(rule_date const& date, chr::year year)
{
    auto const first = chr::sys_days{year / 1 / 1};
    auto day = first + chr::days{date.day};
    if (date.by == rule_date::kind::julian)
        day = first + chr::days{date.day - 1 + (year.is_leap() && date.day >= 60 ? 1 : 0)};
    if (date.by == rule_date::kind::weekday) {
        auto const month = year / chr::month{static_cast<unsigned>(date.month)};
        chr::weekday const weekday{static_cast<unsigned>(date.day)};
        day = date.week == 5 ? chr::sys_days{month / weekday[chr::last]}
                             : chr::sys_days{month / weekday[static_cast<unsigned>(date.week)]};
    }
    return day + chr::seconds{date.time};
}

} // namespace

std::array<offset_change, 2> posix_rule::changes_in(chr::year year) const
{
    offset_change const begin{reading(daylight->begin, year) - chr::seconds{offset}, daylight->offset};
    offset_change const end{reading(daylight->end, year) - chr::seconds{daylight->offset}, offset};
    if (begin.at < end.at)
        return {begin, end};
    return {end, begin};
}

std::optional<posix_rule> parse_posix_rule(std::string_view text)
{
    rule_reader from(text);
    posix_rule rule;
    auto const standard = from.abbreviation() ? from.span() : std::nullopt;
    if (!standard)
        return std::nullopt;
    rule.offset = -*standard;
    if (from.at_end())
        return rule;
    if (!from.abbreviation())
        return std::nullopt;
    auto& daylight = rule.daylight.emplace();
    daylight.offset = rule.offset + 3'600;
    if (!from.take(',')) {
        auto const told = from.span();
        if (!told || !from.take(','))
            return std::nullopt;
        daylight.offset = -*told;
    }
    auto const begin = from.date();
    auto const end = begin && from.take(',') ? from.date() : std::nullopt;
    if (!end || !from.at_end())
        return std::nullopt;
    daylight.begin = *begin;
    daylight.end = *end;
    return rule;
}

} // namespace baton::schedule
