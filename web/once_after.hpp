#pragma once

#include "libs/base/time.hpp"
#include "web/refusal.hpp"

#include <nlohmann/json.hpp>

namespace baton::web {

// The definition or patch with schedule.at instead of schedule.in_ms, which counts from `now`. Other documents stay as
// they are. Throws invalid_input("schedule.in_ms").
nlohmann::json once_after(nlohmann::json document, utc_time now);

// The same refusal, but of schedule.in_ms instead of schedule.at if `document` has that. `lead`: from a save to the
// first instant that it governs.
refused as_written(nlohmann::json const& document, refused refusal, duration lead);

} // namespace baton::web
