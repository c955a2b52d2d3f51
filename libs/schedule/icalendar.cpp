#include "libs/schedule/icalendar.hpp"

#include "libs/base/characters.hpp"
#include "libs/base/error.hpp"

#include <algorithm>
#include <cstdint>
#include <libical/ical.h>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string_view>

namespace baton::schedule {

namespace {

namespace chr = std::chrono;

constexpr chr::years followed{10};
constexpr chr::days kept{366};
constexpr std::size_t longest_file = 1u << 20;
constexpr std::size_t most_spans = 20'000;   // before they are joined
constexpr std::int64_t most_steps = 100'000; // of libical's search, by all recurrences of a file; about half a second
constexpr int last_year_searched = 2582;     // libical looks no further

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
    if (day_of(end) < first)
        refuse(event, "ends before it begins");
    return std::max(day_of(end) - first, chr::days{1}); // some programs write the same day as the end
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

bool is_within_a_day(icalrecurrencetype const& rule)
{
    return rule.freq == ICAL_SECONDLY_RECURRENCE || rule.freq == ICAL_MINUTELY_RECURRENCE ||
           rule.freq == ICAL_HOURLY_RECURRENCE || rule.freq == ICAL_NO_RECURRENCE;
}

// The steps that libical makes from one occurrence to a later day, about: one for each day, week, month or year.
std::int64_t steps_between(chr::local_days from, chr::local_days until, icalrecurrencetype const& rule)
{
    auto const days = rule.freq == ICAL_DAILY_RECURRENCE     ? 1
                      : rule.freq == ICAL_WEEKLY_RECURRENCE  ? 7
                      : rule.freq == ICAL_MONTHLY_RECURRENCE ? 30
                                                             : 365;
    return 1 + std::max<std::int64_t>((until - from).count(), 0) / (days * std::max<std::int64_t>(rule.interval, 1));
}

// Reads the events of one file.
class event_reader {
public:
    event_reader(icalcomponent* root, followed_span span) : root_(root), span_(span) {}

    std::vector<protocol::date_span> all();

private:
    void note_moved(icalcomponent* event);
    void add_event(icalcomponent* event);
    void add_recurrences(icalcomponent* event, icaltimetype const& start, chr::days length,
                         std::set<chr::local_days>& firsts);
    void spend(std::int64_t steps, icalcomponent* event);

    icalcomponent* root_;
    followed_span span_;
    std::vector<protocol::date_span> found_;
    std::map<std::string, std::set<chr::local_days>> moved_; // by UID: occurrences that have an event of their own
    std::int64_t steps_ = 0;
};

// The day and its recurrences must be known. libical drops a line that it cannot read, and leaves a note of it.
void refuse_unread_lines(icalcomponent* event)
{
    for (auto* property = icalcomponent_get_first_property(event, ICAL_XLICERROR_PROPERTY); property != nullptr;
         property = icalcomponent_get_next_property(event, ICAL_XLICERROR_PROPERTY)) {
        std::string_view const note = icalproperty_get_xlicerror(property);
        for (auto const* name : {"DTSTART", "DTEND", "DURATION", "RRULE", "RDATE", "EXDATE", "RECURRENCE-ID"})
            if (note.find(' ' + std::string(name) + " property") != std::string_view::npos)
                refuse(event, "has a line " + std::string(name) + " that cannot be read");
    }
    if (icalcomponent_get_first_property(event, ICAL_EXRULE_PROPERTY) != nullptr)
        refuse(event, "has a line EXRULE, which is not supported: write the days as EXDATE");
}

bool is_cancelled(icalcomponent* event)
{
    return icalcomponent_get_status(event) == ICAL_STATUS_CANCELLED;
}

std::string uid_of(icalcomponent* event)
{
    auto const* const uid = icalcomponent_get_uid(event);
    return uid == nullptr ? std::string() : std::string(uid);
}

bool is_of_a_series(icalcomponent* event)
{
    return icalcomponent_get_first_property(event, ICAL_RECURRENCEID_PROPERTY) != nullptr;
}

void event_reader::note_moved(icalcomponent* event)
{
    if (!is_of_a_series(event))
        return;
    auto const day = icalcomponent_get_recurrenceid(event);
    if (!is_day(day))
        refuse(event, "takes the place of something that is not a day");
    moved_[uid_of(event)].insert(day_of(day));
}

void event_reader::spend(std::int64_t steps, icalcomponent* event)
{
    steps_ += steps;
    if (steps_ > most_steps)
        refuse(event, "cannot be followed: the events up to it recur too often, or from too early on");
}

// Computes the ends of rules itself. Given to libical, they would hide how far it has searched when it finds no more.
void event_reader::add_recurrences(icalcomponent* event, icaltimetype const& start, chr::days length,
                                   std::set<chr::local_days>& firsts)
{
    for (auto* property = icalcomponent_get_first_property(event, ICAL_RRULE_PROPERTY); property != nullptr;
         property = icalcomponent_get_next_property(event, ICAL_RRULE_PROPERTY)) {
        auto rule = icalproperty_get_rrule(property);
        if (is_within_a_day(rule))
            refuse(event, "recurs within a day: only recurrence in days, weeks, months or years can be imported");
        auto const until = icaltime_is_null_time(rule.until) ? span_.until : day_of(rule.until) + chr::days{1};
        auto const count = rule.count > 0 ? rule.count : std::numeric_limits<int>::max();
        rule.until = icaltime_null_time();
        rule.count = 0;
        std::unique_ptr<icalrecur_iterator, free_iterator> const iterator(icalrecur_iterator_new(rule, start));
        if (!iterator)
            refuse(event, "has a recurrence that cannot be read");
        auto before = day_of(start);
        for (int found = 0; found < count; ++found) {
            auto const at = icalrecur_iterator_next(iterator.get());
            auto const ends = icaltime_is_null_time(at);
            auto const day = ends ? chr::local_days{chr::year{last_year_searched} / 12 / 31} : day_of(at);
            spend(steps_between(before, day, rule), event);
            if (ends || day >= std::min(until, span_.until))
                break;
            if (day + length > span_.from)
                firsts.insert(day);
            before = day;
        }
    }
}

void event_reader::add_event(icalcomponent* event)
{
    refuse_unread_lines(event);
    if (is_cancelled(event))
        return;
    auto const start = icalcomponent_get_dtstart(event);
    if (!is_day(start))
        refuse(event, "does not begin with a day: only events of whole days can be imported");
    auto const length = length_of(event, day_of(start));
    std::set<chr::local_days> firsts = days_in(event, ICAL_RDATE_PROPERTY);
    firsts.insert(day_of(start));
    add_recurrences(event, start, length, firsts);
    auto left_out = days_in(event, ICAL_EXDATE_PROPERTY);
    if (auto const moved = moved_.find(uid_of(event)); moved != moved_.end() && !is_of_a_series(event))
        left_out.insert(moved->second.begin(), moved->second.end());
    for (auto const first : firsts)
        if (!left_out.contains(first) && first + length > span_.from &&
            first >= chr::local_days{chr::year{1970} / 1 / 1})
            found_.push_back({first, first + length - chr::days{1}});
    if (found_.size() > most_spans)
        refuse(event, "makes the days more than a calendar may have");
}

std::vector<protocol::date_span> event_reader::all()
{
    auto const each = [&](auto read) {
        for (auto* event = icalcomponent_get_first_component(root_, ICAL_VEVENT_COMPONENT); event != nullptr;
             event = icalcomponent_get_next_component(root_, ICAL_VEVENT_COMPONENT))
            read(event);
    };
    each([&](icalcomponent* event) { note_moved(event); });
    each([&](icalcomponent* event) { add_event(event); });
    return std::move(found_);
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
    auto found = event_reader(root.get(), span).all();
    if (found.empty())
        throw invalid_input("icalendar", "the file has no event from a year ago on");
    try {
        return protocol::merged(std::move(found));
    } catch (invalid_input const& wrong) {
        throw invalid_input("icalendar", wrong.what());
    }
}

} // namespace baton::schedule
