#include "cli/table.hpp"

#include "libs/base/printable.hpp"

#include <algorithm>

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

void print_json(std::ostream& out, nlohmann::json const& value)
{
    out << printable_json(value.dump(2, ' ', false, nlohmann::json::error_handler_t::replace)) << '\n';
}

} // namespace baton::cli
