#pragma once

#include <nlohmann/json.hpp>

#include <ostream>
#include <string>
#include <vector>

namespace baton::cli {

// Text in columns for a terminal. Control characters are shown as '?', so that no cell can move the cursor.
class table {
public:
    explicit table(std::vector<std::string> titles) : rows_{std::move(titles)} {}

    void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    void print(std::ostream& out) const;

private:
    std::vector<std::vector<std::string>> rows_;
};

// The text without control characters.
std::string harmless(std::string const& text);

// A member as text: strings unchanged, booleans as "yes" and "no", null and absent members as "-".
std::string cell(nlohmann::json const& object, char const* key);

// "2026-03-29 01:30:00.123" from RFC 3339 in UTC; "-" for null.
std::string time_cell(nlohmann::json const& object, char const* key);

void print_json(std::ostream& out, nlohmann::json const& value);

} // namespace baton::cli
