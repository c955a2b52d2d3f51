#pragma once
// Days that come back each year or each month: a date, or a day of the week counted from either end of its month.

#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace baton::protocol {

// As text: "12-25", "05-mon-last" (the last Monday in May), "11-thu-4", "02-last" (the last day of February). "*"
// instead of the month stands for each month: "*-01", "*-fri-last".
struct year_day {
    static constexpr std::uint8_t each_month = 0;
    static constexpr std::uint8_t last = 0; // as a day, or as the place of a day of the week

    std::uint8_t month = each_month;
    std::optional<std::uint8_t> weekday; // from 0, Sunday; none: the rule is a date
    std::uint8_t number = last;          // the day of the month, or the place of the day of the week: 1 to 5

    friend auto operator<=>(year_day const&, year_day const&) = default;
};

// Empty if the text is not such a day, or names one that no month has. February has 29 days.
std::optional<year_day> parse_year_day(std::string_view text);
std::string to_text(year_day const& day);

bool matches(year_day const& rule, std::chrono::local_days day);

} // namespace baton::protocol
