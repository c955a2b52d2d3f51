#include "cli/table.hpp"

#include "cli/crontab_tasks.hpp"
#include "libs/base/printable.hpp"

#include <algorithm>
#include <regex>

namespace baton::cli {

namespace {

// The number of code points; a terminal shows most of them in one column.
std::size_t width(std::string const& text)
{
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

} // namespace

void table::print(std::ostream& out) const
{
    std::vector<std::size_t> widths(rows_.front().size(), 0);
    for (auto const& row : rows_)
        for (std::size_t i = 0; i < widths.size(); ++i)
            widths[i] = std::max(widths[i], width(printable(row[i])));
    for (auto const& row : rows_) {
        std::string line;
        for (std::size_t i = 0; i < widths.size(); ++i) {
            auto const text = printable(row[i]);
            line += text;
            if (i + 1 < widths.size())
                line += std::string(widths[i] - width(text) + 2, ' ');
        }
        out << line << '\n';
    }
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

void print_members(std::ostream& out, nlohmann::json const& object, times const& at, std::string const& without)
{
    for (auto const& [key, value] : object.items()) {
        if (key == without)
            continue;
        bool const is_time = value.is_string() && (key.ends_with("_at") || key == "valid_from");
        auto const shown = is_time                                ? at.text(object, key.c_str())
                           : key == "reason" && value.is_string() ? at.within(value.get<std::string>())
                           : value.is_string()                    ? value.get<std::string>()
                                                                  : value.dump();
        out << printable(key) << ": " << printable(shown) << '\n';
    }
}

void print_json(std::ostream& out, nlohmann::json const& value)
{
    out << printable_json(value.dump(2, ' ', false, nlohmann::json::error_handler_t::replace)) << '\n';
}

} // namespace baton::cli
