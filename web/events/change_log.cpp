#include "web/events/change_log.hpp"

#include "web/query_parameters.hpp"

namespace baton::web {

namespace {

topic_set all()
{
    return topic_set().set();
}

} // namespace

topic_set change_log::compare(storage::marks const& seen) const
{
    if (!marks_)
        return all();
    topic_set changed;
    for (std::size_t i = 0; i < storage::topics; ++i)
        changed.set(i, (*marks_)[i] != seen[i]);
    return changed;
}

bool change_log::take(storage::marks seen)
{
    auto const changed = compare(seen);
    marks_ = std::move(seen);
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
