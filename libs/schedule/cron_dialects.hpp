#pragma once
// The readers of the two dialects.

#include "libs/schedule/cron.hpp"
#include "libs/schedule/cron_field.hpp"

namespace baton::schedule {

// Both throw as cron::parse does.
cron_fields parse_crontab_dialect(cron_text const& text);
cron_fields parse_quartz_dialect(cron_text const& text);

// The field to which an error points.
struct field_at {
    char const* name;
    std::string_view word;
    char const* example;
};

// Refuses an expression that can never fire.
void require_a_date(cron_text const& text, cron_fields const& fields, field_at blamed);

} // namespace baton::schedule
