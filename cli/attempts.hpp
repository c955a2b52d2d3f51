#pragma once
// Attempts of an execution as tables show them. Pure functions on executions as REST shows them.

#include <nlohmann/json.hpp>

#include <string>

namespace baton::cli {

// "1/2 (1 death)": the task's own attempts of those that it has, without those that were lost with their client.
std::string attempts_text(nlohmann::json const& execution);

// The outcome of an attempt; "lost" for one without an outcome after which another was made.
std::string outcome_text(nlohmann::json const& attempt, bool is_last);

} // namespace baton::cli
