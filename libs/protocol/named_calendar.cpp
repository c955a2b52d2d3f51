#include "libs/protocol/named_calendar.hpp"

#include "libs/base/characters.hpp"
#include "libs/protocol/strict.hpp"
#include "libs/protocol/task.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <optional>
#include <set>

namespace baton::protocol {

namespace {

namespace chr = std::chrono;

constexpr std::size_t most_yearly = 366;

bool is_list_of_objects(nlohmann::json const& value, std::size_t most)
{
    return value.is_array() && value.size() <= most &&
           std::ranges::all_of(value, [](auto const& each) { return each.is_object(); });
}

// A number of so many digits at this place.
std::optional<unsigned> digits(std::string_view text, std::size_t at, std::size_t count)
{
    if (at + count > text.size())
        return std::nullopt;
    unsigned value = 0;
    for (auto const c : text.substr(at, count)) {
        if (c < '0' || c > '9')
            return std::nullopt;
        value = value * 10 + static_cast<unsigned>(c - '0');
    }
    return value;
}

// "12-25" at this place; February has 29 days.
std::optional<chr::month_day> month_day_at(std::string_view text, std::size_t at)
{
    auto const month = digits(text, at, 2);
    auto const day = digits(text, at + 3, 2);
    if (!month || !day || text[at + 2] != '-')
        return std::nullopt;
    chr::month_day const found{chr::month{*month}, chr::day{*day}};
    return found.ok() ? std::optional{found} : std::nullopt;
}

std::optional<chr::local_days> date_of(std::string_view text)
{
    auto const year = digits(text, 0, 4);
    auto const rest = text.size() == 10 && text[4] == '-' ? month_day_at(text, 5) : std::nullopt;
    if (!year || !rest || *year < 1970)
        return std::nullopt;
    chr::year_month_day const date{chr::year{static_cast<int>(*year)}, rest->month(), rest->day()};
    return date.ok() ? std::optional{chr::local_days{date}} : std::nullopt;
}

std::string text_of(chr::local_days day)
{
    chr::year_month_day const date{day};
    char text[40];
    std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
    return text;
}

date_span span_of(std::string const& text)
{
    auto const slash = text.find('/');
    auto const first = date_of(std::string_view(text).substr(0, slash));
    auto const last = slash == std::string::npos ? first : date_of(std::string_view(text).substr(slash + 1));
    if (!first || !last)
        throw invalid_input("dates", "dates must list dates from 1970 on such as 2026-12-24, or spans such as "
                                     "2026-12-28/2027-01-01, not " +
                                         in_quotes(text));
    if (*last < *first)
        throw invalid_input("dates", "the span " + in_quotes(text) + " ends before it begins");
    return {*first, *last};
}

std::vector<year_day> parse_yearly(strict_object& object)
{
    std::set<year_day> days;
    for (auto const& text : object.texts("yearly", most_yearly, 11)) {
        auto const day = parse_year_day(text);
        if (!day)
            throw invalid_input("yearly", "yearly must list days of a year such as 12-25, 05-mon-last (the last Monday "
                                          "in May) or *-01 (the first day of each month), not " +
                                              in_quotes(text));
        days.insert(*day);
    }
    return {days.begin(), days.end()};
}

weekly_span parse_weekly_span(nlohmann::json const& value)
{
    strict_object object(value, "weekly");
    weekly_span span;
    if (auto const* const days = object.find("days"))
        span.weekdays = parse_weekdays(*days, "weekly.days");
    if (object.find("from") != nullptr || object.find("until") != nullptr) {
        span.from = parse_time_of_day(object.need_text("from", 64), "weekly.from");
        span.until = parse_time_of_day(object.need_text("until", 64), "weekly.until");
    }
    object.finish();
    if (span.until == 0s)
        span.until = 24h;
    return span;
}

std::vector<weekly_span> parse_weekly(strict_object& object)
{
    std::vector<weekly_span> spans;
    auto const* const given = object.find("weekly");
    if (given == nullptr)
        return spans;
    if (!is_list_of_objects(*given, most_weekly))
        throw invalid_input("weekly", "weekly must be an array of at most " + std::to_string(most_weekly) +
                                          R"( parts of a week such as {"days": ["sat", "sun"]})");
    for (auto const& each : *given)
        spans.push_back(parse_weekly_span(each));
    return spans;
}

nlohmann::json json_of(weekly_span const& span)
{
    nlohmann::json value{{"days", weekdays_json(span.weekdays)}};
    if (span.from == 0s && span.until == 24h)
        return value;
    value["from"] = time_of_day_text(span.from);
    value["until"] = time_of_day_text(span.until == 24h ? 0s : span.until);
    return value;
}

calendar_use parse_use(nlohmann::json const& value)
{
    strict_object object(value, "schedule.calendars");
    calendar_use use;
    use.name = object.need_text("name", 190);
    check_name(use.name, "schedule.calendars.name");
    use.mode = parse<calendar_mode>(object.text("mode", "exclude", 32), "schedule.calendars.mode");
    if (auto const* const content = object.find("content")) {
        use.version = static_cast<int>(object.number("version", 0, 1, std::numeric_limits<int>::max()));
        strict_object members(*content, "schedule.calendars.content");
        use.content = parse_calendar_content(members);
        members.finish();
    }
    object.finish();
    return use;
}

} // namespace

std::vector<date_span> merged(std::vector<date_span> spans)
{
    std::ranges::sort(spans, {}, &date_span::first);
    std::vector<date_span> found;
    for (auto const& span : spans) {
        if (found.empty() || span.first > found.back().last + chr::days{1})
            found.push_back(span);
        else
            found.back().last = std::max(found.back().last, span.last);
    }
    if (found.size() > most_dates)
        throw invalid_input("dates", "a calendar has at most " + std::to_string(most_dates) +
                                         " spans of dates, and these are " + std::to_string(found.size()));
    return found;
}

calendar_content parse_calendar_content(strict_object& object)
{
    calendar_content content;
    content.zone = object.text("zone", "UTC", 64);
    std::vector<date_span> spans;
    for (auto const& text : object.texts("dates", most_dates, 21))
        spans.push_back(span_of(text));
    content.dates = merged(std::move(spans));
    content.yearly = parse_yearly(object);
    content.weekly = parse_weekly(object);
    return content;
}

nlohmann::json to_json(calendar_content const& content)
{
    auto dates = nlohmann::json::array();
    for (auto const& span : content.dates)
        dates.push_back(span.first == span.last ? text_of(span.first) : text_of(span.first) + "/" + text_of(span.last));
    auto yearly = nlohmann::json::array();
    for (auto const& day : content.yearly)
        yearly.push_back(to_text(day));
    auto weekly = nlohmann::json::array();
    for (auto const& span : content.weekly)
        weekly.push_back(json_of(span));
    return {{"zone", content.zone},
            {"dates", std::move(dates)},
            {"yearly", std::move(yearly)},
            {"weekly", std::move(weekly)}};
}

calendar_definition parse_calendar_definition(nlohmann::json const& value)
{
    strict_object object(value, "", R"({"name": "holidays", "dates": ["2026-12-24"]})");
    calendar_definition calendar;
    calendar.project = object.text("project", calendar.project, longest_project);
    calendar.name = object.need_text("name", 190);
    calendar.description = object.text("description", {}, 2'000);
    if (calendar.project.empty())
        object.refuse_value("project", " must not be empty");
    check_name(calendar.project, "project");
    check_name(calendar.name, "name");
    calendar.content = parse_calendar_content(object);
    object.finish();
    return calendar;
}

nlohmann::json to_json(calendar_definition const& calendar)
{
    auto value = to_json(calendar.content);
    value["project"] = calendar.project;
    value["name"] = calendar.name;
    value["description"] = calendar.description;
    return value;
}

std::vector<calendar_use> parse_calendar_uses(strict_object& object)
{
    std::vector<calendar_use> uses;
    auto const* const given = object.find("calendars");
    if (given == nullptr)
        return uses;
    if (!is_list_of_objects(*given, most_calendars))
        throw invalid_input("schedule.calendars", "schedule.calendars must be an array of at most " +
                                                      std::to_string(most_calendars) +
                                                      R"( calendars such as {"name": "holidays", "mode": "exclude"})");
    for (auto const& each : *given) {
        uses.push_back(parse_use(each));
        auto const same = [&](calendar_use const& other) { return other.name == uses.back().name; };
        if (std::ranges::count_if(uses, same) > 1)
            throw invalid_input("schedule.calendars",
                                "schedule.calendars names " + in_quotes(uses.back().name) + " twice");
    }
    return uses;
}

void write_calendar_uses(nlohmann::json& schedule, std::vector<calendar_use> const& uses, bool stored)
{
    if (uses.empty())
        return;
    auto list = nlohmann::json::array();
    for (auto const& use : uses) {
        nlohmann::json value{{"name", use.name}, {"mode", to_string(use.mode)}};
        if (stored && use.version != 0) {
            value["version"] = use.version;
            value["content"] = to_json(use.content);
        }
        list.push_back(std::move(value));
    }
    schedule["calendars"] = std::move(list);
}

void check_new_calendars(std::vector<calendar_use> const& uses)
{
    for (auto const& use : uses)
        if (use.version != 0)
            throw invalid_input("schedule.calendars.content",
                                "schedule.calendars.content is written by the server: leave it out");
}

void keep_contents(std::vector<calendar_use>& uses, std::vector<calendar_use> const& before)
{
    for (auto& use : uses) {
        auto const found = std::ranges::find(before, use.name, &calendar_use::name);
        if (found == before.end())
            continue;
        use.version = found->version;
        use.content = found->content;
    }
}

} // namespace baton::protocol
