#pragma once

#include "cli/commands.hpp"
#include "cli/terminal.hpp"
#include "libs/schedule/time_zone.hpp"

#include <nlohmann/json.hpp>

#include <ostream>
#include <string>
#include <vector>

namespace baton::cli {

// Text in columns for a terminal, without control characters (libs/base/printable.hpp). On a terminal the table fits
// its width: times lose what when_narrow() allows, then columns are left out, then the widest columns of free text,
// such as REASON, are cut. In a pipe or a file all text is whole. A table without rows says "none" below its titles.
class table {
public:
    explicit table(std::vector<std::string> titles) : rows_{std::move(titles)} {}

    void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    // If the table is wider than its terminal: times of the day `today` ("2026-11-25") are shown without it, and these
    // columns are left out, the first one first, until the others fit. Titles are without a zone.
    void when_narrow(std::vector<std::string> leave_out, std::string today = {});
    void print(std::ostream& out) const { print(out, terminal_of(out)); }
    void print(std::ostream& out, terminal const& to) const;

private:
    using rows = std::vector<std::vector<std::string>>;

    std::string make_narrow(rows& shown, std::size_t limit) const;

    rows rows_;
    std::vector<std::string> leave_out_;
    std::string today_;
};

// A member as text without control characters: strings without quotes, booleans as "yes" and "no", null and absent
// members as "-".
std::string cell(nlohmann::json const& object, char const* key);

// "2026-03-29 01:30:00.123" from RFC 3339 in UTC; "-" for null.
std::string time_cell(nlohmann::json const& object, char const* key);

// Times of answers as a clock on the wall of one zone shows them.
class times {
public:
    explicit times(std::string const& zone) : zone_(zone) {} // an IANA name; throws invalid_input for another

    // "ENDED" -> "ENDED (Europe/Berlin)"
    std::string title(std::string const& name) const;
    // "2026-03-29 03:30:00.123"; what is not a time stays as cell() has it.
    std::string cell(nlohmann::json const& object, char const* key) const;
    // The same and the zone: "2026-03-29 03:30:00.123 Europe/Berlin".
    std::string text(nlohmann::json const& object, char const* key) const;
    // "2026-03-29", the day of this instant.
    std::string day(utc_time at) const;
    // The text with each time of RFC 3339 in it shown in the same way.
    std::string within(std::string const& text) const;

private:
    schedule::time_zone zone_;
};

// The zone of this machine, or UTC with --utc.
times times_of(common_options const& common);

// Each member but `without` as a line "key: value", those that are named in `first` in that order, the others behind
// them; times are in the zone of `at`.
void print_members(std::ostream& out, nlohmann::json const& object, times const& at, std::string const& without,
                   std::vector<std::string> const& first = {});

// The value without a control character on the terminal: in strings they are escaped.
void print_json(std::ostream& out, nlohmann::json const& value);

// "note: ..." for each of the notes about clock changes in an answer.
void print_notes(std::ostream& out, nlohmann::json const& answer);

} // namespace baton::cli
