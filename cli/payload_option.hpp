#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace baton::cli {

// The JSON value of --payload. Throws CLI::ValidationError.
nlohmann::json payload_option(std::string const& text);

} // namespace baton::cli
