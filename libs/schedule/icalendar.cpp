#include "libs/schedule/icalendar.hpp"

#include "libs/base/characters.hpp"
#include "libs/base/error.hpp"

#include <algorithm>
#include <libical/ical.h>
#include <memory>
#include <set>

namespace baton::schedule {

namespace {

namespace chr = std::chrono;

constexpr chr::years followed{10};
constexpr chr::days kept{366};
constexpr std::size_t longest_file = 1u << 20;
constexpr std::size_t most_spans = 20'000; // before they are joined
constexpr int most_looked_at = 100'000;    // occurrences of one event

struct free_component {
    void operator()(icalcomponent* component) const { icalcomponent_free(component); }
};
using owned_component = std::unique_ptr<icalcomponent, free_component>;

struct free_iterator {
    void operator()(icalrecur_iterator* iterator) const { icalrecur_iterator_free(iterator); }
};

struct followed_span {
    chr::local_days from;
    chr::local_days until;
};

[[noreturn]] void refuse(icalcomponent* event, std::string const& why)
{
    auto const* const summary = icalcomponent_get_summary(event);
    auto const name = summary != nullptr ? in_quotes(summary) : std::string("without a summary");
    throw invalid_input("icalendar", "the event " + name + " " + why);
}

chr::local_days day_of(icaltimetype const& time)
{
    return chr::local_days{chr::year{time.year} / time.month / time.day};
}

bool is_day(icaltimetype const& time)
{
    return !icaltime_is_null_time(time) && icaltime_is_valid_time(time) && time.is_date != 0 &&
           chr::year_month_day{chr::year{time.year}, chr::month{static_cast<unsigned>(time.month)},
                               chr::day{static_cast<unsigned>(time.day)}}
               .ok();
}

// The number of days of an event, at least one.
chr::days length_of(icalcomponent* event, chr::local_days first)
{
    if (icalcomponent_get_first_property(event, ICAL_DTEND_PROPERTY) == nullptr &&
        icalcomponent_get_first_property(event, ICAL_DURATION_PROPERTY) == nullptr)
        return chr::days{1};
    auto const end = icalcomponent_get_dtend(event);
    if (!is_day(end))
        refuse(event, "does not end with a day: only events of whole days can be imported");
    return std::max(day_of(end) - first, chr::days{1});
}

std::set<chr::local_days> days_in(icalcomponent* event, icalproperty_kind kind)
{
    std::set<chr::local_days> found;
    for (auto* property = icalcomponent_get_first_property(event, kind); property != nullptr;
         property = icalcomponent_get_next_property(event, kind)) {
        auto const time =
            kind == ICAL_EXDATE_PROPERTY ? icalproperty_get_exdate(property) : icalproperty_get_rdate(property).time;
        if (!is_day(time))
            refuse(event, "adds or leaves out something that is not a day");
        found.insert(day_of(time));
    }
    return found;
}

void add_recurrences(icalcomponent* event, icaltimetype const& start, followed_span span, chr::days length,
                     std::set<chr::local_days>& firsts)
{
    for (auto* property = icalcomponent_get_first_property(event, ICAL_RRULE_PROPERTY); property != nullptr;
         property = icalcomponent_get_next_property(event, ICAL_RRULE_PROPERTY)) {
        auto const rule = icalproperty_get_rrule(property);
        if (rule.freq == ICAL_SECONDLY_RECURRENCE || rule.freq == ICAL_MINUTELY_RECURRENCE ||
            rule.freq == ICAL_HOURLY_RECURRENCE || rule.freq == ICAL_NO_RECURRENCE)
            refuse(event, "recurs within a day: only recurrence in days, weeks, months or years can be imported");
        std::unique_ptr<icalrecur_iterator, free_iterator> const iterator(icalrecur_iterator_new(rule, start));
        if (!iterator)
            refuse(event, "has a recurrence that cannot be read");
        int looked_at = 0;
        for (auto at = icalrecur_iterator_next(iterator.get()); !icaltime_is_null_time(at);
             at = icalrecur_iterator_next(iterator.get())) {
            auto const day = day_of(at);
            if (day >= span.until)
                break;
            if (++looked_at > most_looked_at)
                refuse(event, "recurs too often to be followed");
            if (day + length > span.from)
                firsts.insert(day);
        }
    }
}

void add_event(icalcomponent* event, followed_span span, std::vector<protocol::date_span>& into)
{
    auto const start = icalcomponent_get_dtstart(event);
    if (!is_day(start))
        refuse(event, "does not begin with a day: only events of whole days can be imported");
    auto const length = length_of(event, day_of(start));
    std::set<chr::local_days> firsts = days_in(event, ICAL_RDATE_PROPERTY);
    firsts.insert(day_of(start));
    add_recurrences(event, start, span, length, firsts);
    auto const left_out = days_in(event, ICAL_EXDATE_PROPERTY);
    for (auto const first : firsts)
        if (!left_out.contains(first) && first + length > span.from &&
            first >= chr::local_days{chr::year{1970} / 1 / 1})
            into.push_back({first, first + length - chr::days{1}});
    if (into.size() > most_spans)
        refuse(event, "makes the days more than a calendar may have");
}

} // namespace

std::vector<protocol::date_span> whole_days(std::string const& text, utc_time now)
{
    if (text.size() > longest_file)
        throw invalid_input("icalendar", "an iCalendar file may have at most 1 MiB");
    owned_component const root(icalparser_parse_string(text.c_str()));
    if (!root || icalcomponent_isa(root.get()) != ICAL_VCALENDAR_COMPONENT)
        throw invalid_input("icalendar", "this is no iCalendar file, which begins with BEGIN:VCALENDAR");
    auto const today = chr::local_days{chr::floor<chr::days>(now).time_since_epoch()};
    chr::year_month_day const date{today};
    followed_span const span{today - kept, chr::local_days{(date.year() + followed) / 12 / 31} + chr::days{1}};
    std::vector<protocol::date_span> found;
    for (auto* event = icalcomponent_get_first_component(root.get(), ICAL_VEVENT_COMPONENT); event != nullptr;
         event = icalcomponent_get_next_component(root.get(), ICAL_VEVENT_COMPONENT))
        add_event(event, span, found);
    if (found.empty())
        throw invalid_input("icalendar", "the file has no event from a year ago on");
    try {
        return protocol::merged(std::move(found));
    } catch (invalid_input const& wrong) {
        throw invalid_input("icalendar", wrong.what());
    }
}

} // namespace baton::schedule
