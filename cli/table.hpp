#pragma once

#include <nlohmann/json.hpp>

#include <ostream>
#include <string>
#include <vector>

namespace baton::cli {

// Text in columns for a terminal, without control characters (libs/base/printable.hpp).
class table {
public:
    explicit table(std::vector<std::string> titles) : rows_{std::move(titles)} {}

    void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    void print(std::ostream& out) const;

private:
    std::vector<std::vector<std::string>> rows_;
};

// A member as text without control characters: strings without quotes, booleans as "yes" and "no", null and absent
// members as "-".
std::string cell(nlohmann::json const& object, char const* key);

// "2026-03-29 01:30:00.123" from RFC 3339 in UTC; "-" for null.
std::string time_cell(nlohmann::json const& object, char const* key);

// The value without a control character on the terminal: in strings they are escaped.
void print_json(std::ostream& out, nlohmann::json const& value);

} // namespace baton::cli
