// Parses cron expressions of the dialect quartz.

#include "libs/base/characters.hpp"
#include "libs/schedule/cron_dialects.hpp"

#include <algorithm>
#include <array>

namespace baton::schedule {

namespace {

using std::string_view;

constexpr std::array<field_kind, 7> quartz_kinds{
    {{field_role::second, "second", 0, 59, 59, "0/10"},
     {field_role::minute, "minute", 0, 59, 59, "0/15"},
     {field_role::hour, "hour", 0, 23, 23, "9-17"},
     {field_role::day, "day of month", 1, 31, 31, "1,15"},
     {field_role::month, "month", 1, 12, 12, "JAN-JUN"},
     {field_role::weekday, "day of week", 1, 7, 7, "MON-FRI"},
     {field_role::year, "year", year_set::first, year_set::last, year_set::last, "2027-2030"}}};
constexpr field_syntax syntax{true, true, true, false};
constexpr char const* quartz_example = "0 0 2 ? * MON-FRI";

constexpr std::size_t day_field = 3;
constexpr std::size_t weekday_field = 5;
constexpr std::size_t year_field = 6;

bool is_letter(char c, char upper)
{
    return c == upper || c == upper - 'A' + 'a';
}

std::vector<string_view> quartz_words(cron_text const& text)
{
    auto words = split_words(text.whole);
    if (words.empty())
        refuse_cron(text, "", text.whole, "it is empty", quartz_example);
    if (words.front().front() == '@')
        refuse_cron(text, "", words.front(),
                    in_quotes(words.front()) + " is of the dialect crontab, and the schedule names quartz",
                    quartz_example);
    if (words.size() != 6 && words.size() != 7)
        refuse_cron(text, "", words[std::min<std::size_t>(words.size() - 1, 7)],
                    "it has " + std::to_string(words.size()) + (words.size() == 1 ? " field" : " fields") +
                        "; six (second minute hour day-of-month month day-of-week) or seven, with the year last, are "
                        "expected",
                    quartz_example);
    return words;
}

// The expression with another word for one of its fields.
std::string with_word(std::vector<string_view> words, std::size_t field, string_view word)
{
    words[field] = word;
    std::string text;
    for (auto const each : words)
        text.append(text.empty() ? "" : " ").append(each);
    return text;
}

void require_one_open_day(cron_text const& text, std::vector<string_view> const& words)
{
    bool const any_day = words[day_field] == "?";
    bool const any_weekday = words[weekday_field] == "?";
    if (any_day && any_weekday)
        refuse_cron(text, "day of week", words[weekday_field], "only one of the two day fields may be '?'",
                    with_word(words, day_field, "*"));
    if (!any_day && !any_weekday)
        refuse_cron(text, "day of week", words[weekday_field],
                    "one of the two day fields must be '?', since a date is named by only one of them",
                    words[day_field] == "*" ? with_word(words, day_field, "?") : with_word(words, weekday_field, "?"));
}

bool names_last_day(string_view word)
{
    return word.find_first_of("LlWw") != string_view::npos;
}

// L, L-3, LW, L-3W and 15W
day_rule read_day_rule(field_reader const& reader, string_view word)
{
    using enum day_rule::kind;
    bool const near = is_letter(word.back(), 'W');
    auto rest = word.substr(0, word.size() - (near ? 1 : 0));
    if (word.find(',') != string_view::npos || rest.empty())
        reader.fail(word, "L and W name one day of the month, not several", near ? "15W" : "L");
    if (!is_letter(rest.front(), 'L')) {
        if (!near)
            reader.fail(word, in_quotes(word) + " is not such as L, L-3, LW or 15W", "L-3");
        return {near_day, static_cast<std::uint8_t>(reader.read_count(word, rest, 1, 31))};
    }
    rest.remove_prefix(1);
    if (rest.empty())
        return {near ? near_end : from_end};
    if (rest.front() != '-')
        reader.fail(word, in_quotes(word) + " is not such as L, L-3, LW or 15W", "L-3");
    auto const offset = reader.read_count(word, rest.substr(1), 0, 30);
    return {near ? near_end : from_end, static_cast<std::uint8_t>(offset)};
}

bool names_weekday_of_month(string_view word)
{
    return word.find_first_of("Ll#") != string_view::npos;
}

// 6L, FRIL, 6#3 and FRI#3
day_rule read_weekday_rule(field_reader const& reader, string_view word)
{
    using enum day_rule::kind;
    if (word.find(',') != string_view::npos)
        reader.fail(word, "L and # name one day of the week, not several", "6#3");
    auto const mark = word.find_first_of("Ll#");
    auto const weekday = static_cast<std::uint8_t>(reader.read_value(word, word.substr(0, mark)) - 1);
    if (word[mark] == '#')
        return {nth_weekday, static_cast<std::uint8_t>(reader.read_count(word, word.substr(mark + 1), 1, 5)), weekday};
    if (mark + 1 != word.size())
        reader.fail(word, in_quotes(word) + " is not such as 6L or 6#3", "6L");
    return {last_of_weekdays, 0, weekday};
}

void read_days(cron_text const& text, std::vector<string_view> const& words, cron_fields& fields)
{
    constexpr std::uint32_t all_days = 0xFFFFFFFE;
    constexpr std::uint8_t all_weekdays = 0x7F;
    fields.days = all_days;
    fields.weekdays = all_weekdays;
    auto const day = words[day_field];
    auto const weekday = words[weekday_field];
    if (day != "?") {
        field_reader reader(text, quartz_kinds[day_field], syntax);
        if (names_last_day(day))
            fields.rule = read_day_rule(reader, day);
        else
            fields.days = static_cast<std::uint32_t>(reader.read(day).to_ulong());
        return;
    }
    field_reader reader(text, quartz_kinds[weekday_field], syntax);
    if (weekday.size() == 1 && is_letter(weekday[0], 'L'))
        fields.weekdays = 1U << 6; // Quartz: the last day of the week
    else if (names_weekday_of_month(weekday))
        fields.rule = read_weekday_rule(reader, weekday);
    else
        fields.weekdays = static_cast<std::uint8_t>(reader.read(weekday).to_ulong() >> 1);
}

void read_years(cron_text const& text, string_view word, cron_fields& fields)
{
    if (word == "*")
        return;
    auto const years = field_reader(text, quartz_kinds[year_field], syntax).read(word);
    fields.listed_years = true;
    for (int year = year_set::first; year <= year_set::last; ++year)
        if (years.test(static_cast<std::size_t>(year - year_set::first)))
            fields.years.add(year);
}

} // namespace

cron_fields parse_quartz_dialect(cron_text const& text)
{
    auto const words = quartz_words(text);
    auto const read = [&](std::size_t field) {
        return field_reader(text, quartz_kinds[field], syntax).read(words[field]).to_ullong();
    };
    cron_fields fields;
    fields.quartz = true;
    fields.seconds = read(0);
    fields.minutes = read(1);
    fields.hours = static_cast<std::uint32_t>(read(2));
    fields.months = static_cast<std::uint16_t>(read(4));
    fields.starred = words[1].front() == '*' || words[2].front() == '*';
    require_one_open_day(text, words);
    read_days(text, words, fields);
    if (words.size() > year_field)
        read_years(text, words[year_field], fields);
    bool const by_day = words[weekday_field] == "?";
    require_a_date(text, fields,
                   by_day ? field_at{"day of month", words[day_field], "28"}
                          : field_at{"day of week", words[weekday_field], "6L"});
    return fields;
}

} // namespace baton::schedule
