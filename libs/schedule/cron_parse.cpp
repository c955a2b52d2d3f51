// Parses cron expressions.

#include "libs/base/characters.hpp"
#include "libs/base/error.hpp"
#include "libs/schedule/cron.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string_view>
#include <vector>

namespace baton::schedule {

namespace {

using std::string_view;

constexpr std::array<string_view, 12> month_names{"jan", "feb", "mar", "apr", "may", "jun",
                                                  "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<string_view, 7> weekday_names{"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

enum class field_role { second, minute, hour, day, month, weekday };

struct field_kind {
    field_role role;
    char const* name;
    unsigned lowest;
    unsigned highest;
};

constexpr std::array<field_kind, 6> kinds{{{field_role::second, "second", 0, 59},
                                           {field_role::minute, "minute", 0, 59},
                                           {field_role::hour, "hour", 0, 23},
                                           {field_role::day, "day of month", 1, 31},
                                           {field_role::month, "month", 1, 12},
                                           {field_role::weekday, "day of week", 0, 7}}};

struct field {
    std::uint64_t values = 0;
    bool starred = false;  // begins with `*` or `?`
    bool repeated = false; // see cron::repeats
};

[[noreturn]] void refuse(std::string const& why)
{
    throw invalid_input("schedule.cron", why);
}

std::string lower(string_view text)
{
    std::string result{text};
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

std::vector<string_view> split(string_view text, string_view separators, bool keep_empty)
{
    std::vector<string_view> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        auto const end = std::min(text.find_first_of(separators, begin), text.size());
        if (keep_empty || end > begin)
            parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

// Reads one field of an expression.
class field_reader {
public:
    field_reader(field_kind const& kind, bool with_seconds) : kind_(kind), with_seconds_(with_seconds) {}

    field read(string_view text)
    {
        for (auto const item : split(text, ",", true))
            read_item(text, item);
        field_.starred = text.front() == '*' || text.front() == '?';
        field_.repeated = field_.repeated || field_.starred || full();
        if (kind_.role == field_role::weekday && (field_.values >> 7 & 1U) != 0)
            field_.values = (field_.values | 1U) & 0x7FU;
        return field_;
    }

private:
    void read_item(string_view text, string_view item)
    {
        if (item.empty())
            fail(in_quotes(text) + " has an empty item in its list");
        auto const slash = item.find('/');
        auto const range = item.substr(0, slash);
        unsigned step = 1;
        if (slash != string_view::npos)
            step = read_step(item, item.substr(slash + 1));
        auto const [from, to] = read_range(item, range, slash != string_view::npos);
        for (unsigned value = from; value <= to; value += step)
            field_.values |= std::uint64_t{1} << value;
    }

    unsigned read_step(string_view item, string_view digits)
    {
        unsigned step = 0;
        if (!number(digits, step) || step == 0)
            fail("the step in " + in_quotes(item) + " must be a number from 1 on");
        return std::min(step, 1'000U); // more than any field is wide
    }

    std::pair<unsigned, unsigned> read_range(string_view item, string_view range, bool stepped)
    {
        bool const is_day = kind_.role == field_role::day || kind_.role == field_role::weekday;
        unsigned const highest = kind_.role == field_role::weekday ? 6 : kind_.highest;
        if (range == "*" || (range == "?" && is_day))
            return {kind_.lowest, highest};
        auto const dash = range.find('-');
        if (dash == string_view::npos) {
            unsigned const from = read_value(item, range);
            if (!stepped)
                return {from, from};
            if (!with_seconds_)
                fail("the step in " + in_quotes(item) + " needs a range or '*' before it, such as " +
                     std::to_string(from) + "-" + std::to_string(highest) + std::string{item.substr(item.find('/'))});
            field_.repeated = true;
            return {from, std::max(from, highest)};
        }
        unsigned const from = read_value(item, range.substr(0, dash));
        unsigned to = read_value(item, range.substr(dash + 1));
        if (kind_.role == field_role::weekday && to == 0 && from > 0)
            to = 7; // a week may end with Sunday
        if (from > to)
            fail("the range " + in_quotes(range) + " runs backwards");
        return {from, to};
    }

    unsigned read_value(string_view item, string_view word)
    {
        unsigned value = 0;
        if (named(word, value))
            return value;
        if (!number(word, value))
            fail(in_quotes(word.empty() ? item : word) + " is not " + expected());
        if (value < kind_.lowest || value > kind_.highest)
            fail(in_quotes(word) + " is not from " + std::to_string(kind_.lowest) + " to " +
                 std::to_string(kind_.highest));
        return value;
    }

    bool named(string_view word, unsigned& value) const
    {
        auto const name = lower(word);
        auto const look = [&](auto const& names, unsigned first) {
            auto const found = std::find(names.begin(), names.end(), name);
            value = first + static_cast<unsigned>(found - names.begin());
            return found != names.end();
        };
        return (kind_.role == field_role::month && look(month_names, 1)) ||
               (kind_.role == field_role::weekday && look(weekday_names, 0));
    }

    static bool number(string_view digits, unsigned& value)
    {
        auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error == std::errc::result_out_of_range) {
            value = 1'000'000;
            return end == digits.data() + digits.size();
        }
        return error == std::errc{} && end == digits.data() + digits.size();
    }

    std::string expected() const
    {
        if (kind_.role == field_role::month)
            return "a number or a month's name (jan to dec)";
        return kind_.role == field_role::weekday ? "a number or a weekday's name (sun to sat)" : "a number";
    }

    bool full() const
    {
        for (unsigned value = kind_.lowest; value <= kind_.highest; ++value)
            if ((field_.values >> value & 1U) == 0)
                return false;
        return true;
    }

    [[noreturn]] void fail(std::string const& why) const { refuse(std::string{kind_.name} + ": " + why); }

    field_kind const& kind_;
    bool with_seconds_;
    field field_;
};

string_view expand_nickname(string_view text)
{
    struct nickname {
        string_view name;
        string_view meaning;
    };
    constexpr std::array<nickname, 7> nicknames{{{"@hourly", "0 * * * *"},
                                                 {"@daily", "0 0 * * *"},
                                                 {"@midnight", "0 0 * * *"},
                                                 {"@weekly", "0 0 * * 0"},
                                                 {"@monthly", "0 0 1 * *"},
                                                 {"@yearly", "0 0 1 1 *"},
                                                 {"@annually", "0 0 1 1 *"}}};
    auto const name = lower(text);
    for (auto const& known : nicknames)
        if (known.name == name)
            return known.meaning;
    if (name == "@reboot")
        refuse("@reboot is not a time of the calendar; it has no next firing");
    if (name == "@every")
        refuse("@every is not a time of the calendar: give the task a fixed rate, kind fixed_rate with every_ms "
               "(`baton task add --every 90s`)");
    refuse(in_quotes(text) + " is not one of @hourly, @daily, @midnight, @weekly, @monthly, @yearly and @annually");
}

// An expression whose dates must match the day of the month needs an admitted month that is long enough. (Every date,
// 29 February included, falls on every weekday in some year.)
void require_a_date(cron_fields const& fields)
{
    constexpr std::array<unsigned, 13> longest{0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (fields.either_day)
        return;
    for (unsigned month = 1; month <= 12; ++month)
        if ((fields.months >> month & 1U) != 0 &&
            (std::uint64_t{fields.days} & ((std::uint64_t{1} << (longest[month] + 1)) - 1)) != 0)
            return;
    refuse("it never fires: no month that it admits has such a day");
}

} // namespace

cron cron::parse(std::string const& text)
{
    constexpr std::size_t longest = 1'024;
    if (text.size() > longest)
        refuse("it is longer than " + std::to_string(longest) + " characters");
    auto words = split(text, " \t", false);
    if (words.empty())
        refuse("it is empty");
    if (words.front().front() == '@') {
        auto const meaning = expand_nickname(words.front());
        if (words.size() > 1)
            refuse(in_quotes(words[1]) + " follows " + in_quotes(words[0]) + ", which stands alone");
        words = split(meaning, " ", false);
    }
    if (words.size() != 5 && words.size() != 6)
        refuse("it has " + std::to_string(words.size()) + (words.size() == 1 ? " field" : " fields") +
               "; five (minute hour day-of-month month day-of-week) or six, with seconds first, are expected");

    bool const with_seconds = words.size() == 6;
    std::array<field, 6> read;
    read[0].values = 1;
    for (std::size_t i = with_seconds ? 0 : 1; i < kinds.size(); ++i)
        read[i] = field_reader(kinds[i], with_seconds).read(words[with_seconds ? i : i - 1]);

    cron result;
    auto& fields = result.fields_;
    fields.seconds = read[0].values;
    fields.minutes = read[1].values;
    fields.hours = static_cast<std::uint32_t>(read[2].values);
    fields.days = static_cast<std::uint32_t>(read[3].values);
    fields.months = static_cast<std::uint16_t>(read[4].values);
    fields.weekdays = static_cast<std::uint8_t>(read[5].values);
    fields.either_day = !read[3].starred && !read[5].starred;
    fields.repeats = read[1].repeated || read[2].repeated;
    fields.starred = read[1].starred || read[2].starred;
    require_a_date(fields);
    return result;
}

} // namespace baton::schedule
