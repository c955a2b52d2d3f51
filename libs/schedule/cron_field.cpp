#include "libs/schedule/cron_field.hpp"

#include "libs/base/characters.hpp"
#include "libs/base/error.hpp"
#include "libs/schedule/cron_hash.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace baton::schedule {

namespace {

using std::string_view;

constexpr std::array<string_view, 12> month_names{"jan", "feb", "mar", "apr", "may", "jun",
                                                  "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<string_view, 7> weekday_names{"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

bool same_letters(string_view one, string_view other)
{
    return std::ranges::equal(one, other, [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
    });
}

template <std::size_t Size>
std::optional<unsigned> named(std::array<string_view, Size> const& names, string_view word, unsigned first)
{
    auto const found = std::ranges::find_if(names, [&](string_view name) { return same_letters(name, word); });
    if (found == names.end())
        return std::nullopt;
    return first + static_cast<unsigned>(found - names.begin());
}

std::optional<unsigned> number(string_view digits)
{
    unsigned value = 0;
    auto const end = digits.data() + digits.size();
    auto const [stop, error] = std::from_chars(digits.data(), end, value);
    if (stop != end || digits.empty() || error == std::errc::invalid_argument)
        return std::nullopt;
    return error == std::errc::result_out_of_range ? 1'000'000 : value;
}

bool is_hash(string_view range)
{
    return !range.empty() && (range[0] == 'H' || range[0] == 'h') && (range.size() == 1 || range[1] == '(');
}

} // namespace

void refuse_cron(cron_text const& text, char const* field, string_view at, std::string const& why,
                 std::string const& example)
{
    auto const before = text.whole.substr(0, static_cast<std::size_t>(at.data() - text.whole.data()));
    auto const column = "column " + std::to_string(count_characters(before) + 1);
    std::string const name = field;
    throw invalid_input("schedule.cron", (name.empty() ? column : name + " (" + column + ")") + ": " + why +
                                             "; write for example " + in_quotes(example));
}

std::vector<string_view> split_words(string_view text)
{
    std::vector<string_view> words;
    for (std::size_t begin = 0; (begin = text.find_first_not_of(" \t", begin)) != string_view::npos;) {
        auto const end = std::min(text.find_first_of(" \t", begin), text.size());
        words.push_back(text.substr(begin, end - begin));
        begin = end;
    }
    return words;
}

void field_reader::fail(string_view at, std::string const& why, std::string const& example) const
{
    refuse_cron(text_, kind_.name, at, why, example.empty() ? kind_.example : example);
}

value_set field_reader::read(string_view field)
{
    values_.reset();
    for (std::size_t begin = 0; begin <= field.size();) {
        auto const end = std::min(field.find(',', begin), field.size());
        read_item(field, field.substr(begin, end - begin));
        begin = end + 1;
    }
    return values_;
}

void field_reader::read_item(string_view field, string_view item)
{
    if (item.empty())
        fail(item, in_quotes(field) + " has an empty item in its list");
    auto const slash = item.find('/');
    bool const stepped = slash != string_view::npos;
    auto const range = item.substr(0, slash);
    auto const step = stepped ? std::optional{read_step(item, range, item.substr(slash + 1))} : std::nullopt;
    if (is_hash(range))
        read_hash(range, step);
    else
        admit(read_span(item, range, stepped), step.value_or(1));
}

unsigned field_reader::read_step(string_view item, string_view range, string_view digits) const
{
    auto const step = number(digits);
    if (!step || *step == 0)
        fail(digits, "the step in " + in_quotes(item) + " must be a number from 1 on");
    bool const bounded = kind_.role != field_role::year && range.find('-') == string_view::npos;
    if (syntax_.short_steps && bounded && *step > kind_.highest)
        fail(digits, "the step in " + in_quotes(item) + " must be at most " + std::to_string(kind_.highest));
    return std::min(*step, 1'000U); // more than any field is wide
}

field_reader::span field_reader::read_span(string_view item, string_view range, bool stepped) const
{
    bool const is_day = kind_.role == field_role::day || kind_.role == field_role::weekday;
    if (range == "*" || (range == "?" && is_day && syntax_.any_day) ||
        (range.empty() && stepped && syntax_.open_steps && syntax_.wraps))
        return {kind_.lowest, kind_.last};
    auto const dash = range.find('-');
    if (dash != string_view::npos)
        return read_range(range, range.substr(0, dash), range.substr(dash + 1));
    unsigned const from = read_value(item, range);
    if (stepped && !syntax_.open_steps)
        fail(item, "the step in " + in_quotes(item) + " needs a range or '*' before it",
             std::to_string(from) + "-" + std::to_string(kind_.last) + std::string{item.substr(item.find('/'))});
    return {from, stepped ? std::max(from, kind_.last) : from};
}

field_reader::span field_reader::read_range(string_view range, string_view low, string_view high) const
{
    unsigned const from = read_value(range, low);
    unsigned to = read_value(range, high);
    bool const week_ends_with_sunday = kind_.role == field_role::weekday && kind_.lowest == 0;
    if (week_ends_with_sunday && to == 0 && from > 0)
        to = 7;
    if (from <= to)
        return {from, to};
    if (!syntax_.wraps || kind_.role == field_role::year)
        fail(range, "the range " + in_quotes(range) + " runs backwards",
             kind_.role == field_role::year ? std::string{high} + "-" + std::string{low}
                                            : std::to_string(from) + "-" + std::to_string(kind_.last) + "," +
                                                  std::to_string(kind_.lowest) + "-" + std::to_string(to));
    return {from, to + kind_.last - kind_.lowest + 1};
}

// Of H without a range, or H(a-b).
field_reader::span field_reader::read_hash_range(string_view range) const
{
    constexpr unsigned days_of_every_month = 28;
    if (range.size() == 1)
        return {kind_.lowest, kind_.role == field_role::day ? days_of_every_month : kind_.last};
    auto const inner = range.substr(2, range.size() - 3);
    auto const dash = inner.find('-');
    if (range.back() != ')' || dash == string_view::npos)
        fail(range, in_quotes(range) + " is not such as H or H(a-b)",
             "H(" + std::to_string(kind_.lowest) + "-" + std::to_string(kind_.last / 2) + ")");
    auto const found = read_range(inner, inner.substr(0, dash), inner.substr(dash + 1));
    return found;
}

void field_reader::read_hash(string_view range, std::optional<unsigned> step)
{
    if (kind_.role == field_role::year)
        fail(range, "a year cannot be hashed");
    auto const within = read_hash_range(range);
    if (!text_.seed)
        throw invalid_input("schedule.hash_seed", "H stands for a value that follows from hash_seed, such as 42, or "
                                                  "from the project and the name of a task");
    auto const width = within.to - within.from + 1;
    auto const first =
        within.from + hashed(*text_.seed, static_cast<unsigned>(kind_.role), std::min(step.value_or(width), width));
    admit({first, step ? within.to : first}, step.value_or(1));
}

void field_reader::admit(span values, unsigned step)
{
    auto const width = kind_.last - kind_.lowest + 1;
    for (unsigned value = values.from; value <= values.to; value += step)
        values_.set((value > kind_.highest ? value - width : value) - lowest_of_set(kind_.role));
}

unsigned field_reader::read_value(string_view item, string_view word) const
{
    if (auto const month = named(month_names, word, 1); month && kind_.role == field_role::month)
        return *month;
    if (auto const day = named(weekday_names, word, kind_.lowest); day && kind_.role == field_role::weekday)
        return *day;
    auto const value = number(word);
    auto const at = word.empty() ? item : word;
    if (!value)
        fail(at, in_quotes(at) + " is not " + expected());
    if (*value < kind_.lowest || *value > kind_.highest)
        fail(at,
             in_quotes(at) + " is not from " + std::to_string(kind_.lowest) + " to " + std::to_string(kind_.highest));
    return *value;
}

unsigned field_reader::read_count(string_view item, string_view digits, unsigned least, unsigned most) const
{
    auto const count = number(digits);
    if (!count || *count < least || *count > most)
        fail(digits.empty() ? item : digits, "the number in " + in_quotes(item) + " must be from " +
                                                 std::to_string(least) + " to " + std::to_string(most));
    return *count;
}

std::string field_reader::expected() const
{
    if (kind_.role == field_role::month)
        return "a number or a month's name (jan to dec)";
    return kind_.role == field_role::weekday ? "a number or a weekday's name (sun to sat)" : "a number";
}

} // namespace baton::schedule
