#include "locks/zookeeper/turn.hpp"

#include "locks/zookeeper/node_name.hpp"

#include <algorithm>
#include <charconv>

namespace baton::lock {

namespace {

constexpr char const* between = "of";

struct place_taken {
    std::string node;
    std::int64_t place;
    lock_share of;
};

std::vector<place_taken> in_order(std::vector<std::string> const& nodes)
{
    std::vector<place_taken> queue;
    for (auto const& each : nodes)
        if (auto const place = zoo_place(each))
            queue.push_back({each, *place, zoo_share(each)});
    std::sort(queue.begin(), queue.end(), [](auto const& a, auto const& b) { return a.place < b.place; });
    return queue;
}

// How much of what `one` shares out this other takes. With who counts otherwise nothing can be shared.
std::int64_t weight_to(lock_share const& one, lock_share const& other)
{
    return other.capacity == one.capacity ? other.weight : one.capacity;
}

bool fits(lock_share const& one, std::int64_t taken)
{
    return taken + one.weight <= one.capacity;
}

std::int64_t taken_before(std::vector<place_taken> const& queue, std::size_t at)
{
    std::int64_t taken = 0;
    for (std::size_t i = 0; i < at; ++i)
        taken += weight_to(queue[at].of, queue[i].of);
    return taken;
}

bool holds(std::vector<place_taken> const& queue, std::size_t at)
{
    return fits(queue[at].of, taken_before(queue, at));
}

void say_what_to_wait_for(zoo_turn& turn, std::vector<place_taken> const& queue, std::size_t at)
{
    auto const& own = queue[at].of;
    for (auto i = at; i-- > 0;)
        if (!fits(own, weight_to(own, queue[i].of))) {
            turn.until_gone = queue[i].node;
            return;
        }
    if (!holds(queue, at - 1)) {
        turn.until_granted = queue[at - 1].node;
        return;
    }
    for (std::size_t i = 0; i < at; ++i)
        turn.until_any_gone.push_back(queue[i].node);
}

} // namespace

std::string zoo_tag(std::string const& unique, lock_share const& of)
{
    if (of.capacity == 1)
        return unique;
    return unique + "-" + std::to_string(of.weight) + between + std::to_string(of.capacity);
}

lock_share zoo_share(std::string const& node)
{
    lock_share found;
    auto const tag = node.substr(0, node.rfind("-lock-"));
    auto const begin = tag.rfind('-') + 1;
    auto const middle = tag.find(between, begin);
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
        if (each.starts_with(tag + "-lock-") && zoo_place(each))
            return each;
    return {};
}

zoo_turn zoo_turn_of(std::vector<std::string> const& nodes, std::string const& tag)
{
    zoo_turn turn;
    turn.own = zoo_own(nodes, tag);
    if (turn.own.empty())
        return turn;
    auto const queue = in_order(nodes);
    auto const found =
        std::find_if(queue.begin(), queue.end(), [&](place_taken const& each) { return each.node == turn.own; });
    auto const at = static_cast<std::size_t>(found - queue.begin());
    auto const& own = found->of;
    if (queue.front().of.capacity != own.capacity) {
        turn.disagreed = queue.front().of.capacity;
        return turn;
    }
    turn.held = holds(queue, at);
    if (!turn.held)
        say_what_to_wait_for(turn, queue, at);
    else if (at + 1 < queue.size())
        turn.tells = is_semaphore(own) && fits(own, weight_to(own, queue[at + 1].of));
    return turn;
}

} // namespace baton::lock
