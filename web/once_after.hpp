#pragma once

#include "libs/base/time.hpp"

#include <nlohmann/json.hpp>

namespace baton::web {

// The definition or patch with schedule.at instead of schedule.in_ms, which counts from `now`. Other documents stay as
// they are. Throws invalid_input("schedule.in_ms").
nlohmann::json once_after(nlohmann::json document, utc_time now);

} // namespace baton::web
