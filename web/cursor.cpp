#include "web/cursor.hpp"

#include "libs/base/characters.hpp"
#include "libs/base/error.hpp"

#include <array>

namespace baton::web {

namespace {

struct kind {
    std::string_view name;
    std::size_t numbers;
};

constexpr std::array<kind, 8> kinds{{{"tasks", 1},
                                     {"versions", 1},
                                     {"executions", 2},
                                     {"terms", 1},
                                     {"skipped", 1},
                                     {"dead_letters", 2},
                                     {"calendars", 1},
                                     {"calendar_versions", 1}}};

kind const& kind_of(list_of which)
{
    return kinds[static_cast<std::size_t>(which)];
}

// The numbers of "tasks-7" or "executions-1774746000000000-7"; nothing for text of another form.
std::optional<std::vector<std::int64_t>> numbers_in(std::string_view text, kind const& list)
{
    if (!text.starts_with(list.name))
        return std::nullopt;
    text.remove_prefix(list.name.size());
    std::vector<std::int64_t> numbers;
    while (text.starts_with('-') && numbers.size() < list.numbers) {
        text.remove_prefix(1);
        auto const end = std::min(text.find('-'), text.size());
        auto const number = positive_number(text.substr(0, end));
        if (!number)
            return std::nullopt;
        numbers.push_back(*number);
        text.remove_prefix(end);
    }
    return text.empty() && numbers.size() == list.numbers ? std::optional(numbers) : std::nullopt;
}

} // namespace

std::string write_cursor(list_of which, std::vector<std::int64_t> const& place)
{
    std::string text(kind_of(which).name);
    for (auto const number : place)
        text += '-' + std::to_string(number);
    return text;
}

std::vector<std::int64_t> parse_cursor(std::string const& text, list_of which)
{
    auto const wanted = kind_of(which);
    if (auto place = numbers_in(text, wanted))
        return *place;
    for (auto const& other : kinds)
        if (numbers_in(text, other))
            throw invalid_input("after", "after is a place in the list of " + std::string(other.name) +
                                             ", and this is the list of " + std::string(wanted.name));
    throw invalid_input("after", "after must be the 'next' of an earlier answer of this list, not " + in_quotes(text));
}

std::optional<std::vector<std::int64_t>> read_cursor(query_parameters& asked, list_of which)
{
    auto const given = asked.text("after");
    return given ? std::optional(parse_cursor(*given, which)) : std::nullopt;
}

} // namespace baton::web
