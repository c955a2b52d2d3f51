#include "locks/zookeeper/queue_position.hpp"

#include "locks/zookeeper/node_name.hpp"

#include <algorithm>
#include <charconv>

namespace baton::lock {

namespace {

constexpr char const* separator = "of";

struct queued_node {
    std::string node;
    std::int64_t sequence;
    lock_share of;
};

std::vector<queued_node> in_order(std::vector<std::string> const& nodes)
{
    std::vector<queued_node> queue;
    for (auto const& each : nodes)
        if (auto const sequence = zoo_sequence(each))
            queue.push_back({each, *sequence, zoo_share(each)});
    std::sort(queue.begin(), queue.end(), [](auto const& a, auto const& b) { return a.sequence < b.sequence; });
    return queue;
}

// The weight of `other` in terms of the capacity of `one`. Nodes with different capacities exclude each other.
std::int64_t weight_to(lock_share const& one, lock_share const& other)
{
    return other.capacity == one.capacity ? other.weight : one.capacity;
}

bool fits(lock_share const& one, std::int64_t taken)
{
    return taken + one.weight <= one.capacity;
}

std::int64_t taken_before(std::vector<queued_node> const& queue, std::size_t at)
{
    std::int64_t taken = 0;
    for (std::size_t i = 0; i < at; ++i)
        taken += weight_to(queue[at].of, queue[i].of);
    return taken;
}

bool holds(std::vector<queued_node> const& queue, std::size_t at)
{
    return fits(queue[at].of, taken_before(queue, at));
}

void set_wait(zoo_queue_position& position, std::vector<queued_node> const& queue, std::size_t at)
{
    auto const& own = queue[at].of;
    for (auto i = at; i-- > 0;)
        if (!fits(own, weight_to(own, queue[i].of))) {
            position.until_gone = queue[i].node;
            return;
        }
    if (!holds(queue, at - 1)) {
        position.until_granted = queue[at - 1].node;
        return;
    }
    for (std::size_t i = 0; i < at; ++i)
        position.until_any_gone.push_back(queue[i].node);
}

} // namespace

std::string zoo_tag(std::string const& unique, lock_share const& of)
{
    if (of.capacity == 1)
        return unique;
    return unique + "-" + std::to_string(of.weight) + separator + std::to_string(of.capacity);
}

lock_share zoo_share(std::string const& node)
{
    lock_share found;
    auto const tag = node.substr(0, node.rfind("-lock-"));
    auto const begin = tag.rfind('-') + 1;
    auto const middle = tag.find(separator, begin);
    if (middle == std::string::npos)
        return found;
    lock_share read;
    auto const* const end = tag.data() + tag.size();
    auto const weight = std::from_chars(tag.data() + begin, tag.data() + middle, read.weight);
    auto const capacity = std::from_chars(tag.data() + middle + 2, end, read.capacity);
    bool const whole = weight.ptr == tag.data() + middle && capacity.ptr == end;
    return whole && read.weight > 0 && read.capacity >= read.weight ? read : found;
}

std::string zoo_own(std::vector<std::string> const& nodes, std::string const& tag)
{
    for (auto const& each : nodes)
        if (each.starts_with(tag + "-lock-") && zoo_sequence(each))
            return each;
    return {};
}

zoo_queue_position zoo_queue_position_of(std::vector<std::string> const& nodes, std::string const& tag)
{
    zoo_queue_position position;
    position.own = zoo_own(nodes, tag);
    if (position.own.empty())
        return position;
    auto const queue = in_order(nodes);
    auto const found =
        std::find_if(queue.begin(), queue.end(), [&](queued_node const& each) { return each.node == position.own; });
    auto const at = static_cast<std::size_t>(found - queue.begin());
    auto const& own = found->of;
    if (queue.front().of.capacity != own.capacity) {
        position.disagreed = queue.front().of.capacity;
        return position;
    }
    position.held = holds(queue, at);
    if (!position.held)
        set_wait(position, queue, at);
    else if (at + 1 < queue.size())
        position.must_notify_next = is_semaphore(own) && fits(own, weight_to(own, queue[at + 1].of));
    return position;
}

} // namespace baton::lock
