#include "libs/schedule/debian.hpp"

#include "libs/schedule/cron.hpp"

#include <sstream>

namespace baton::schedule {

namespace {

namespace chr = std::chrono;
using namespace std::chrono_literals;

constexpr chr::years years_told{10};
constexpr auto longest_change = 3h; // Debian's cron takes a longer one for a corrected clock

std::string text_of(local_time shown, std::size_t from, std::size_t length)
{
    return to_rfc3339(utc_time{shown.time_since_epoch()}).substr(from, length);
}

std::string date_of(local_time shown)
{
    return text_of(shown, 0, 10);
}

std::string clock_of(local_time shown)
{
    return text_of(shown, 11, 5);
}

std::vector<local_time> readings(cron const& expression, local_time from, local_time until)
{
    std::vector<local_time> found;
    while (auto const next = expression.first(from, until)) {
        found.push_back(*next);
        from = *next + 1s;
    }
    return found;
}

// "02:15", "02:00 and 02:30", "60 times from 02:00 to 02:59"
std::string text_of(std::vector<local_time> const& found)
{
    auto const first = clock_of(found.front());
    if (found.size() == 1)
        return first;
    auto const last = clock_of(found.back());
    return found.size() == 2 ? first + " and " + last
                             : std::to_string(found.size()) + " times from " + first + " to " + last;
}

std::string times(std::size_t count)
{
    return count == 1 ? "once" : count == 2 ? "twice" : std::to_string(count) + " times";
}

struct clock_change {
    std::string zone;
    local_time reached; // by the old offset
    local_time begin;   // by the new one
    bool forward() const { return begin > reached; }
};

// The expression is a wildcard here and not for Debian.
std::string wildcard_difference(cron const& expression, clock_change const& change)
{
    std::string const why = ", since a field with every value counts as a wildcard here; Debian's cron, for which only "
                            "* and */n are wildcards, fires ";
    auto const met = change.forward() ? readings(expression, change.reached, change.begin)
                                      : readings(expression, change.begin, change.reached);
    if (met.empty())
        return {};
    auto const head = "on " + date_of(met.front()) + " the clock of " + change.zone;
    if (change.forward())
        return head + " skips " + text_of(met) + ": no firing" + why + times(met.size()) + " at " +
               clock_of(change.begin);
    return head + " shows " + text_of(met) + " twice: fires both times" + why + "only the first time";
}

// The expression names times of the day, here and for Debian.
std::string catch_up_difference(cron const& expression, clock_change const& change)
{
    if (!change.forward())
        return {};
    auto const skipped = readings(expression, change.reached, change.begin);
    bool const at_end = expression.first(change.begin, change.begin + 1s).has_value();
    auto const count = skipped.size() + (at_end ? 1 : 0);
    if (skipped.empty() || count < 2)
        return {};
    return "on " + date_of(skipped.front()) + " the clock of " + change.zone + " skips " + text_of(skipped) +
           ": fires once, at " + clock_of(change.begin) + (at_end ? ", for that time too" : "") +
           "; Debian's cron fires " + times(count);
}

bool has_seconds(std::string const& expression)
{
    std::istringstream words(expression);
    std::string word;
    int count = 0;
    while (words >> word)
        ++count;
    return count == 6;
}

} // namespace

std::vector<std::string> differences_from_debian(std::string const& text, time_zone zone, utc_time from)
{
    auto const expression = cron::parse(text);
    if (has_seconds(text) || expression.fields().starred)
        return {};
    std::string forward;
    std::string back;
    auto period = zone.at(from);
    for (auto const until = from + years_told; period.end < until;) {
        auto const following = zone.at(period.end);
        clock_change const change{zone.name(), period.local_end(), following.local_begin()};
        auto& found = change.forward() ? forward : back;
        if (found.empty() && chr::abs(change.begin - change.reached) <= longest_change)
            found = expression.repeats() ? wildcard_difference(expression, change)
                                         : catch_up_difference(expression, change);
        period = following;
    }
    std::vector<std::string> all;
    for (auto& each : {forward, back})
        if (!each.empty())
            all.push_back(each);
    return all;
}

} // namespace baton::schedule
