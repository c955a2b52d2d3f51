// Parses cron expressions of the dialect crontab.

#include "libs/base/characters.hpp"
#include "libs/base/error.hpp"
#include "libs/schedule/cron_dates.hpp"
#include "libs/schedule/cron_dialects.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace baton::schedule {

namespace {

using std::string_view;

constexpr std::array<field_kind, 6> crontab_kinds{{{field_role::second, "second", 0, 59, 59, "*/10"},
                                                   {field_role::minute, "minute", 0, 59, 59, "*/15"},
                                                   {field_role::hour, "hour", 0, 23, 23, "9-17"},
                                                   {field_role::day, "day of month", 1, 31, 31, "1,15"},
                                                   {field_role::month, "month", 1, 12, 12, "jan-jun"},
                                                   {field_role::weekday, "day of week", 0, 7, 6, "mon-fri"}}};
constexpr char const* crontab_example = "0 2 * * mon-fri";

string_view expand_nickname(cron_text const& text, string_view word)
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
    std::string name{word};
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (auto const& known : nicknames)
        if (known.name == name)
            return known.meaning;
    if (name == "@reboot")
        refuse_cron(text, "", word, "@reboot is not a time of the calendar; it has no next firing", "@daily");
    if (name == "@every")
        refuse_cron(text, "", word,
                    "@every is not a time of the calendar: give the task a fixed rate, kind fixed_rate with every_ms "
                    "(`baton task add --every 90s`)",
                    "*/5 * * * *");
    refuse_cron(text, "", word,
                in_quotes(word) + " is not one of @hourly, @daily, @midnight, @weekly, @monthly, @yearly and @annually",
                "@daily");
}

std::vector<string_view> words_of(cron_text const& text)
{
    auto words = split_words(text.whole);
    if (words.empty())
        refuse_cron(text, "", text.whole, "it is empty", crontab_example);
    if (words.front().front() == '@') {
        auto const meaning = expand_nickname(text, words.front());
        if (words.size() > 1)
            refuse_cron(text, "", words[1],
                        in_quotes(words[1]) + " follows " + in_quotes(words[0]) + ", which stands alone",
                        std::string{words[0]});
        words = split_words(meaning);
    }
    if (words.size() != 5 && words.size() != 6)
        refuse_cron(text, "", words[std::min<std::size_t>(words.size() - 1, 6)],
                    "it has " + std::to_string(words.size()) + (words.size() == 1 ? " field" : " fields") +
                        "; five (minute hour day-of-month month day-of-week) or six, with seconds first, are expected",
                    crontab_example);
    return words;
}

void hint_at_quartz(field_reader const& reader, field_role role, string_view word)
{
    bool const is_quartz = (role == field_role::day && word.find_first_of("LlWw") != string_view::npos) ||
                           (role == field_role::weekday && word.find('#') != string_view::npos);
    if (is_quartz)
        reader.fail(word, in_quotes(word) + " is of the dialect quartz, which the schedule does not name");
}

bool is_wildcard(string_view field)
{
    return field.front() == '*' || field.front() == '?';
}

std::uint8_t with_one_sunday(unsigned long weekdays)
{
    return static_cast<std::uint8_t>((weekdays | weekdays >> 7) & 0x7FU);
}

} // namespace

void require_a_date(cron_text const& text, cron_fields const& fields, field_at blamed)
{
    if (!has_a_date(fields))
        refuse_cron(text, blamed.name, blamed.word, "it never fires: no month that it admits has such a day",
                    blamed.example);
}

cron_fields parse_crontab_dialect(cron_text const& text)
{
    auto const words = words_of(text);
    bool const with_seconds = words.size() == 6;
    field_syntax const syntax{with_seconds, false, false, true};
    std::array<value_set, 6> read;
    read[0].set(0);
    for (std::size_t i = with_seconds ? 0 : 1; i < crontab_kinds.size(); ++i) {
        auto const word = words[with_seconds ? i : i - 1];
        field_reader reader(text, crontab_kinds[i], syntax);
        hint_at_quartz(reader, crontab_kinds[i].role, word);
        read[i] = reader.read(word);
    }
    auto const word_of = [&](std::size_t kind) { return words[with_seconds ? kind : kind - 1]; };
    cron_fields fields;
    fields.seconds = read[0].to_ullong();
    fields.minutes = read[1].to_ullong();
    fields.hours = static_cast<std::uint32_t>(read[2].to_ulong());
    fields.days = static_cast<std::uint32_t>(read[3].to_ulong());
    fields.months = static_cast<std::uint16_t>(read[4].to_ulong());
    fields.weekdays = with_one_sunday(read[5].to_ulong());
    fields.either_day = !is_wildcard(word_of(3)) && !is_wildcard(word_of(5));
    fields.starred = word_of(1).front() == '*' || word_of(2).front() == '*';
    require_a_date(text, fields, {"day of month", word_of(3), "28"});
    return fields;
}

cron cron::parse(std::string const& text, protocol::cron_dialect dialect, std::optional<std::uint32_t> seed)
{
    constexpr std::size_t longest = 1'024;
    cron_text const given{text, seed};
    bool const quartz = dialect == protocol::cron_dialect::quartz;
    if (text.size() > longest)
        refuse_cron(given, "", given.whole.substr(longest),
                    "it is longer than " + std::to_string(longest) + " characters", crontab_example);
    cron result;
    result.fields_ = quartz ? parse_quartz_dialect(given) : parse_crontab_dialect(given);
    return result;
}

} // namespace baton::schedule
