#pragma once
// Words for descriptions of schedules.

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace baton::schedule {

inline constexpr std::array<char const*, 7> full_weekday_names{"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                               "Thursday", "Friday", "Saturday"};
inline constexpr std::array<char const*, 13> full_month_names{"",        "January",  "February", "March",  "April",
                                                              "May",     "June",     "July",     "August", "September",
                                                              "October", "November", "December"};

using values = std::vector<unsigned>;
using naming = std::function<std::string(unsigned)>;

// "a", "a and b", "a, b and c"
std::string join(std::vector<std::string> const& parts);

bool consecutive(values const& all);

// Three or more in a row as "a to c", otherwise as a list.
std::string list(values const& all, naming const& name);

// "every day", "every 3 days"
std::string every(unsigned count, std::string const& unit);

} // namespace baton::schedule
