#pragma once
// The dates that the day fields of a cron expression admit.

#include "libs/schedule/cron.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace baton::schedule {

// The days of a month, in any admitted year and month: bit n is set if day n is admitted.
std::uint32_t days_in(cron_fields const& fields, std::chrono::year_month month);

// The first admitted month from `month` on; empty if there is none before the year 10000.
std::optional<std::chrono::year_month> admitted_month(cron_fields const& fields, std::chrono::year_month month);

// False for dates that no year has. Looks at no more than 130 years.
bool has_a_date(cron_fields const& fields);

} // namespace baton::schedule
