#include "libs/protocol/schedule_spec.hpp"

#include "libs/protocol/strict.hpp"

#include <algorithm>

namespace baton::protocol {

namespace {

std::string trimmed(std::string_view text)
{
    constexpr char blanks[] = " \t\r\n";
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    return std::string(text.substr(0, text.find_last_not_of(blanks) + 1));
}

std::optional<utc_time> moment(strict_object& object, char const* key)
{
    if (object.find(key) == nullptr)
        return std::nullopt;
    auto const text = object.text(key, {}, 40);
    try {
        return from_rfc3339(text);
    } catch (std::invalid_argument const&) {
        throw invalid_input(object.path_of(key), object.path_of(key) +
                                                     " must be a time such as 2026-03-29T01:30:00Z, not " +
                                                     in_quotes(text));
    }
}

duration whole_seconds(strict_object& object, char const* key)
{
    auto const given = object.millis(key, 0s, 1s, longest_span);
    if (given > 24h || given % 1s != 0s)
        throw invalid_input(object.path_of(key), object.path_of(key) + " of a window must be a number of whole seconds "
                                                                       "up to 86400000, such as 900000");
    return given;
}

} // namespace

schedule_spec parse_schedule(nlohmann::json const& value)
{
    strict_object object(value, "schedule");
    schedule_spec spec;
    if (object.find("kind") == nullptr)
        throw invalid_input("schedule.kind", "schedule.kind is required, one of " + list_names<schedule_kind>());
    spec.kind = parse<schedule_kind>(object.need_text("kind", 32), "schedule.kind");
    if (spec.kind == schedule_kind::cron) {
        spec.cron = read_cron(object);
        spec.rules = parse_cron_rules(object);
        spec.zone = object.text("zone", "UTC", 64);
    }
    if (spec.kind == schedule_kind::fixed_rate || spec.kind == schedule_kind::fixed_delay) {
        object.need("every_ms");
        spec.every = object.millis(
            "every_ms", 0s, spec.kind == schedule_kind::fixed_rate ? shortest_rate : shortest_delay, longest_span);
    }
    if (spec.kind == schedule_kind::window) {
        object.need("every_ms");
        spec.every = whole_seconds(object, "every_ms");
        spec.window = parse_window(object);
        spec.rules = parse_clock_rules(object);
        spec.zone = object.text("zone", "UTC", 64);
    }
    if (spec.kind == schedule_kind::calendar) {
        spec.calendar = parse_calendar(object);
        spec.rules = parse_clock_rules(object);
        spec.zone = object.text("zone", "UTC", 64);
    }
    if (spec.kind == schedule_kind::once) {
        object.need("at");
        spec.at = moment(object, "at");
    }
    if (spec.kind == schedule_kind::after) {
        spec.after = object.need_text("task", 190);
        check_name(spec.after, "schedule.task");
    }
    if (is_repeated(spec.kind)) {
        spec.start_at = moment(object, "start_at");
        spec.end_at = moment(object, "end_at");
        if (spec.start_at && spec.end_at && *spec.end_at <= *spec.start_at)
            throw invalid_input("schedule.end_at", "schedule.end_at must be after schedule.start_at");
        spec.firing = parse_firing_rules(object);
        spec.calendars = parse_calendar_uses(object);
    }
    if (has_known_firings(spec.kind))
        spec.skips = parse_skips(object);
    object.finish("of the kind " + std::string(to_string(spec.kind)));
    return spec;
}

nlohmann::json to_json(schedule_spec const& spec, bool stored)
{
    nlohmann::json value{{"kind", to_string(spec.kind)}};
    if (spec.kind == schedule_kind::cron) {
        value["cron"] = spec.cron;
        write_cron_rules(value, spec.rules);
        value["zone"] = spec.zone;
    }
    if (spec.kind == schedule_kind::fixed_rate || spec.kind == schedule_kind::fixed_delay)
        value["every_ms"] = spec.every / 1ms;
    if (spec.kind == schedule_kind::window) {
        value["every_ms"] = spec.every / 1ms;
        write_window(value, spec.window);
        write_cron_rules(value, spec.rules);
        value["zone"] = spec.zone;
    }
    if (spec.kind == schedule_kind::calendar) {
        write_calendar(value, spec.calendar);
        write_cron_rules(value, spec.rules);
        value["zone"] = spec.zone;
    }
    if (spec.kind == schedule_kind::after)
        value["task"] = spec.after;
    if (spec.at)
        value["at"] = to_rfc3339(*spec.at);
    if (spec.start_at)
        value["start_at"] = to_rfc3339(*spec.start_at);
    if (spec.end_at)
        value["end_at"] = to_rfc3339(*spec.end_at);
    write_firing_rules(value, spec.firing);
    write_calendar_uses(value, spec.calendars, stored);
    if (stored)
        write_skips(value, spec.skips);
    return value;
}

void refuse_never_firing()
{
    throw invalid_input("schedule.calendars",
                        "with its calendars this schedule has no firing from now on: allow or exclude other times");
}

std::string read_cron(strict_object& object)
{
    auto text = trimmed(object.need_text("cron", 256));
    if (text.empty())
        object.refuse_value("cron", " must not be empty");
    return text;
}

} // namespace baton::protocol
