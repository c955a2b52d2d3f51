#include "cli/table.hpp"

#include "cli/crontab_tasks.hpp"
#include "libs/base/printable.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <regex>

namespace baton::cli {

namespace {

// The number of code points; a terminal shows most of them in one column.
std::size_t width(std::string const& text)
{
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

constexpr std::size_t gap = 2; // between columns
constexpr std::size_t least_cut = 8;
constexpr std::size_t readable = 16; // for this much free text other columns are left out
constexpr char bold[] = "1";

// Titles of columns that may be cut. Names, instances, ids and times are always whole, so that they can be
// copied into a command.
bool is_free_text(std::string const& title)
{
    constexpr std::array<char const*, 7> titles{"SCHEDULE", "HANDLERS", "REASON", "ERROR", "RESULT", "WHY", "CHANGES"};
    return std::find(titles.begin(), titles.end(), title) != titles.end();
}

// Makes the widest columns of free text narrower until the table has at most `limit` columns, if it can.
void fit(std::vector<std::string> const& titles, std::vector<std::size_t>& widths, std::size_t limit)
{
    auto total = gap * (widths.size() - 1);
    for (auto const each : widths)
        total += each;
    for (; total > limit; --total) {
        std::size_t* widest = nullptr;
        for (std::size_t i = 0; i < widths.size(); ++i)
            if (is_free_text(titles[i]) && widths[i] > std::max(least_cut, titles[i].size()) &&
                (widest == nullptr || widths[i] > *widest))
                widest = &widths[i];
        if (widest == nullptr)
            return;
        --*widest;
    }
}

// "ENDED" of "ENDED (Europe/Berlin)", and the zone. A unit, as in "GAP (ms)", stays.
std::pair<std::string, std::string> parts_of(std::string const& title)
{
    auto const open = title.find(" (");
    auto const zone = open == std::string::npos ? "" : title.substr(open + 2, title.size() - open - 3);
    if (zone.empty() || !schedule::zone_exists(zone))
        return {title, ""};
    return {title.substr(0, open), zone};
}

// Columns of all text, with free text as short as it can be read.
std::size_t least_width(std::vector<std::vector<std::string>> const& rows)
{
    auto const& titles = rows.front();
    auto total = gap * (titles.size() - 1);
    for (std::size_t i = 0; i < titles.size(); ++i) {
        std::size_t widest = 0;
        for (auto const& row : rows)
            widest = std::max(widest, width(printable(row[i])));
        total += is_free_text(titles[i]) ? std::min(widest, std::max(readable, titles[i].size())) : widest;
    }
    return total;
}

// "12:00:00" of a time of today, "2026-11-24 12:00:00" of another; other text as it is.
std::string short_time(std::string const& text, std::string const& today)
{
    if (text.size() != 23 || text[10] != ' ' || text[13] != ':')
        return text;
    return text.starts_with(today) ? text.substr(11, 8) : text.substr(0, 19);
}

std::string cut(std::string const& text, std::size_t most)
{
    if (width(text) <= most)
        return text;
    std::size_t end = 0;
    for (std::size_t kept = 0; kept + 1 < most; ++kept)
        end += first_character_of(std::string_view(text).substr(end)).bytes;
    return text.substr(0, end) + "…";
}

// The code of a colour for a state of an execution, a client or a node; empty for all other text.
std::string colour_of(std::string const& title, std::string const& text)
{
    static std::map<std::string, std::string> const colours{
        {"succeeded", "32"}, {"failed", "31"},   {"timed_out", "31"}, {"unreachable", "31"}, {"gone", "31"},
        {"cancelled", "33"}, {"retrying", "33"}, {"pending", "33"},   {"draining", "33"},    {"running", "36"},
        {"waiting", "33"},   {"stopping", "33"}, {"master", "36"},    {"lost", "33"}};
    if (title != "STATE" && title != "OUTCOME" && title != "REACH" && title != "ROLE")
        return {};
    auto const found = colours.find(text);
    return found == colours.end() ? std::string() : found->second;
}

std::string coloured(std::string const& text, std::string const& code)
{
    return code.empty() ? text : "\x1b[" + code + "m" + text + "\x1b[0m";
}

} // namespace

void table::when_narrow(std::vector<std::string> leave_out, std::string today)
{
    leave_out_ = std::move(leave_out);
    today_ = std::move(today);
}

// Returns the zone of the times, which the titles do not name then.
std::string table::make_narrow(rows& shown, std::size_t limit) const
{
    std::string zone;
    if (!today_.empty())
        for (std::size_t i = 0; i < shown.front().size(); ++i) {
            auto const [title, its_zone] = parts_of(shown.front()[i]);
            if (its_zone.empty())
                continue;
            zone = its_zone;
            for (auto& row : shown)
                row[i] = short_time(row[i], today_);
            shown.front()[i] = title;
        }
    for (auto const& title : leave_out_) {
        if (least_width(shown) <= limit)
            break;
        auto const at = std::find(shown.front().begin(), shown.front().end(), title) - shown.front().begin();
        if (at < std::ssize(shown.front()))
            for (auto& row : shown)
                row.erase(row.begin() + at);
    }
    return zone;
}

void table::print(std::ostream& out, terminal const& to) const
{
    auto shown = rows_;
    std::string zone;
    if (to.width && least_width(shown) > *to.width)
        zone = make_narrow(shown, *to.width);
    auto const& titles = shown.front();
    std::vector<std::size_t> widths(titles.size(), 0);
    for (auto const& row : shown)
        for (std::size_t i = 0; i < widths.size(); ++i)
            widths[i] = std::max(widths[i], width(printable(row[i])));
    if (to.width)
        fit(titles, widths, *to.width);
    for (auto const& row : shown) {
        std::string line;
        for (std::size_t i = 0; i < widths.size(); ++i) {
            auto const text = cut(printable(row[i]), widths[i]);
            line += to.colour ? coloured(text, &row == &titles ? bold : colour_of(titles[i], text)) : text;
            if (i + 1 < widths.size())
                line += std::string(widths[i] - width(text) + gap, ' ');
        }
        out << line << '\n';
    }
    if (rows_.size() == 1)
        out << "none\n";
    if (!zone.empty() && shown.size() > 1)
        out << "(times in " << zone << ")\n";
}

std::string cell(nlohmann::json const& object, char const* key)
{
    auto const found = object.find(key);
    if (found == object.end() || found->is_null())
        return "-";
    if (found->is_string())
        return printable(found->get<std::string>());
    if (found->is_boolean())
        return found->get<bool>() ? "yes" : "no";
    return printable(found->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::string time_cell(nlohmann::json const& object, char const* key)
{
    auto text = cell(object, key);
    if (text.size() < 23 || text[10] != 'T')
        return text;
    text[10] = ' ';
    return text.substr(0, 23);
}

std::string times::title(std::string const& name) const
{
    return name + " (" + zone_.name() + ")";
}

std::string times::cell(nlohmann::json const& object, char const* key) const
{
    auto const text = cli::cell(object, key);
    if (text.size() < 20 || text[10] != 'T')
        return text;
    try {
        auto const at = from_rfc3339(text);
        return time_cell({{key, to_rfc3339(at + zone_.at(at).offset)}}, key);
    } catch (std::invalid_argument const&) {
        return text;
    }
}

std::string times::day(utc_time at) const
{
    return to_rfc3339(at + zone_.at(at).offset).substr(0, 10);
}

std::string times::text(nlohmann::json const& object, char const* key) const
{
    auto const shown = cell(object, key);
    return shown == cli::cell(object, key) ? shown : shown + " " + zone_.name();
}

std::string times::within(std::string const& text) const
{
    static std::regex const moment(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z)");
    std::string shown;
    auto from = text.begin();
    for (std::sregex_iterator at(text.begin(), text.end(), moment), end; at != end; ++at) {
        shown.append(from, (*at)[0].first);
        shown += this->text({{"at", at->str()}}, "at");
        from = (*at)[0].second;
    }
    return shown.append(from, text.end());
}

times times_of(common_options const& common)
{
    return times(common.utc ? "UTC" : host_zone());
}

namespace {

void print_member(std::ostream& out, nlohmann::json const& object, std::string const& key, times const& at)
{
    auto const& value = object.at(key);
    bool const is_time = value.is_string() && (key.ends_with("_at") || key == "valid_from");
    auto const shown = is_time                                ? at.text(object, key.c_str())
                       : key == "reason" && value.is_string() ? at.within(value.get<std::string>())
                       : value.is_string()                    ? value.get<std::string>()
                                                              : value.dump();
    out << printable(key) << ": " << printable(shown) << '\n';
}

} // namespace

void print_members(std::ostream& out, nlohmann::json const& object, times const& at, std::string const& without,
                   std::vector<std::string> const& first)
{
    for (auto const& key : first)
        if (object.contains(key))
            print_member(out, object, key, at);
    for (auto const& member : object.items())
        if (member.key() != without && std::ranges::find(first, member.key()) == first.end())
            print_member(out, object, member.key(), at);
}

void print_notes(std::ostream& out, nlohmann::json const& answer)
{
    for (auto const& note : answer.value("notes", nlohmann::json::array()))
        out << "note: " << printable(note.at("text").get<std::string>()) << '\n';
}

void print_json(std::ostream& out, nlohmann::json const& value)
{
    out << printable_json(value.dump(2, ' ', false, nlohmann::json::error_handler_t::replace)) << '\n';
}

} // namespace baton::cli
