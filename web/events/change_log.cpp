#include "web/events/change_log.hpp"

#include "web/query_parameters.hpp"

namespace baton::web {

namespace {

using storage::topic;

topic_set of(std::initializer_list<topic> some)
{
    topic_set set;
    for (auto const one : some)
        set.set(static_cast<std::size_t>(one));
    return set;
}

topic_set all()
{
    return topic_set().set();
}

// Without a kind the signal is of another version of the program.
topic_set topics_of(std::optional<protocol::signal_kind> kind)
{
    if (!kind)
        return all();
    switch (*kind) {
    case protocol::signal_kind::task:
    case protocol::signal_kind::edit:
        return of({topic::tasks});
    case protocol::signal_kind::run:
    case protocol::signal_kind::cancel:
        return of({topic::executions});
    case protocol::signal_kind::pause:
    case protocol::signal_kind::settings:
        return of({topic::services, topic::projects});
    }
    return all();
}

} // namespace

topic_set change_log::signalled(sighting const& seen) const
{
    topic_set changed;
    for (auto const& signal : seen.signals)
        if (!signals_.contains(signal.id))
            changed |= topics_of(signal.kind);
    return changed;
}

topic_set change_log::compare(sighting const& seen, bool gap) const
{
    if (!marks_)
        return all();
    auto changed = signalled(seen);
    if (gap || seen.overflow)
        changed |= of({topic::tasks, topic::services, topic::projects});
    for (std::size_t i = 0; i < storage::topics; ++i)
        if ((*marks_)[i] != seen.marks[i])
            changed.set(i);
    return changed;
}

bool change_log::take(sighting seen, bool gap)
{
    auto const changed = compare(seen, gap);
    marks_ = std::move(seen.marks);
    signals_.clear();
    for (auto const& signal : seen.signals)
        signals_.insert(signal.id);
    if (changed.none())
        return false;
    ++number_;
    for (std::size_t i = 0; i < storage::topics; ++i)
        if (changed.test(i))
            changed_[i] = number_;
    return true;
}

topic_set change_log::since(std::int64_t number) const
{
    topic_set changed;
    for (std::size_t i = 0; i < storage::topics; ++i)
        changed.set(i, changed_[i] > number);
    return changed;
}

topic_set change_log::since(std::string const& place) const
{
    auto const dash = place.find('-');
    if (dash == std::string::npos || place.substr(0, dash) != run_)
        return all();
    auto const text = std::string_view(place).substr(dash + 1);
    auto const number = text == "0" ? std::optional<std::int64_t>(0) : positive_number(text);
    return number && *number <= number_ ? since(*number) : all();
}

} // namespace baton::web
