#include "client-sdk/src/outbox.hpp"

#include <algorithm>

namespace baton::client {

namespace {
constexpr std::size_t frame = 160; // bytes of a report as JSON text, without its value and error
}

void outbox::add(protocol::result_report report, std::size_t bytes, instant now)
{
    auto const [at, fresh] = entries_.try_emplace(key{report.execution, report.attempt});
    if (!fresh)
        return;
    auto& one = at->second;
    one.report = std::move(report);
    one.bytes = bytes + frame;
    one.order = next_++;
    wait(one, now);
}

std::vector<protocol::result_report> outbox::batch(instant now, std::size_t most, std::size_t bytes)
{
    std::vector<protocol::result_report> taken;
    std::size_t size = 0;
    auto each = waiting_.begin();
    for (; each != waiting_.end() && each->first.first <= now; ++each) {
        auto& one = *each->second;
        most = std::min(most, one.batch_limit);
        if (taken.size() >= most || (!taken.empty() && size + one.bytes > bytes))
            break;
        size += one.bytes;
        one.on_its_way = true;
        taken.push_back(one.report);
    }
    waiting_.erase(waiting_.begin(), each);
    return taken;
}

void outbox::recorded(protocol::attempt_key which)
{
    auto const at = entries_.find({which.execution, which.attempt});
    if (at == entries_.end())
        return;
    waiting_.erase({at->second.due, at->second.order});
    entries_.erase(at);
}

void outbox::unsent(protocol::attempt_key which)
{
    if (auto* one = find(which); one != nullptr && one->on_its_way)
        wait(*one, one->due);
}

void outbox::postpone(protocol::attempt_key which, instant now)
{
    if (auto* one = find(which))
        wait(*one, now + std::min<duration>(100ms * (1 << std::min(one->refusals++, 9)), 30s));
}

void outbox::hurry(protocol::attempt_key which, instant now)
{
    if (auto* one = find(which); one != nullptr && !one->on_its_way)
        wait(*one, std::min(one->due, now));
}

void outbox::part(protocol::attempt_key which, std::size_t most)
{
    unsent(which);
    if (auto* one = find(which))
        one->batch_limit = std::min(one->batch_limit, std::max<std::size_t>(1, most));
}

bool outbox::alone(std::vector<protocol::result_report> const& batch) const
{
    if (batch.size() != 1)
        return false;
    auto const at = entries_.find({batch.front().execution, batch.front().attempt});
    return at != entries_.end() && at->second.batch_limit == 1;
}

bool outbox::strip(protocol::attempt_key which, std::string why)
{
    auto* one = find(which);
    if (one == nullptr || one->stripped)
        return false;
    one->stripped = true;
    one->batch_limit = SIZE_MAX; // the reason is gone
    one->report.value = {};
    one->report.error = std::move(why);
    one->bytes = one->report.error.size() + frame;
    return true;
}

std::optional<instant> outbox::next_due() const
{
    return waiting_.empty() ? std::nullopt : std::optional(waiting_.begin()->first.first);
}

outbox::entry* outbox::find(protocol::attempt_key which)
{
    auto const at = entries_.find({which.execution, which.attempt});
    return at == entries_.end() ? nullptr : &at->second;
}

void outbox::wait(entry& one, instant due)
{
    waiting_.erase({one.due, one.order});
    one.due = due;
    one.on_its_way = false;
    waiting_.emplace(place{due, one.order}, &one);
}

} // namespace baton::client
