#include "client-sdk/src/outbox.hpp"

#include <algorithm>

namespace baton::client {

namespace {
constexpr std::size_t frame = 160; // of one report beside its value and error, as JSON text
}

void outbox::add(protocol::result_report report, std::size_t bytes, instant now)
{
    auto const [place, fresh] = places_.emplace(key{report.execution, report.attempt}, next_);
    if (!fresh)
        return;
    entry one;
    one.report = std::move(report);
    one.bytes = bytes + frame;
    one.due = now;
    entries_.emplace(next_++, std::move(one));
}

std::vector<protocol::result_report> outbox::batch(instant now, std::size_t most, std::size_t bytes) const
{
    std::vector<protocol::result_report> taken;
    std::size_t size = 0;
    for (auto const& [place, one] : entries_) {
        if (one.due > now)
            continue;
        if (taken.size() == most || (!taken.empty() && size + one.bytes > bytes))
            break;
        size += one.bytes;
        taken.push_back(one.report);
    }
    return taken;
}

void outbox::recorded(protocol::attempt_key which)
{
    auto const place = places_.find({which.execution, which.attempt});
    if (place == places_.end())
        return;
    entries_.erase(place->second);
    places_.erase(place);
}

void outbox::postpone(protocol::attempt_key which, instant now)
{
    if (auto* one = find(which))
        one->due = now + std::min<duration>(100ms * (1 << std::min(one->refusals++, 9)), 30s);
}

void outbox::hurry(protocol::attempt_key which, instant now)
{
    if (auto* one = find(which))
        one->due = std::min(one->due, now);
}

bool outbox::strip(protocol::attempt_key which, std::string why)
{
    auto* one = find(which);
    if (one == nullptr || one->stripped)
        return false;
    one->stripped = true;
    one->report.value = nullptr;
    one->report.error = std::move(why);
    one->bytes = one->report.error.size() + frame;
    return true;
}

std::optional<instant> outbox::next_due() const
{
    std::optional<instant> next;
    for (auto const& [place, one] : entries_)
        if (!next || one.due < *next)
            next = one.due;
    return next;
}

outbox::entry* outbox::find(protocol::attempt_key which)
{
    auto const place = places_.find({which.execution, which.attempt});
    return place == places_.end() ? nullptr : &entries_.at(place->second);
}

} // namespace baton::client
