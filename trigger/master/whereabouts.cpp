#include "trigger/master/whereabouts.hpp"

#include <optional>

namespace baton::trigger {

namespace {

constexpr std::size_t looked_at_for_running = 100; // executions of a client

bool is_known_to_run(open_execution const& one)
{
    return one.at_client() && (one.phase == phase::runs_earlier || one.running_attempt == one.attempt);
}

std::optional<protocol::place_kind> kind_of_place(open_execution const& one)
{
    if (one.phase == phase::assigned)
        return protocol::place_kind::at_node;
    if (one.phase == phase::in_doubt)
        return protocol::place_kind::in_doubt;
    return one.at_client() ? std::optional(protocol::place_kind::at_client) : std::nullopt;
}

} // namespace

std::vector<protocol::whereabouts> whereabouts_of(open_set& open, std::vector<execution_id> const& ids)
{
    std::vector<protocol::whereabouts> found;
    for (auto const id : ids) {
        auto const* one = open.find(id);
        auto const kind = one == nullptr ? std::nullopt : kind_of_place(*one);
        if (!kind)
            continue;
        auto& place = found.emplace_back();
        place.execution = id;
        place.kind = *kind;
        if (*kind == protocol::place_kind::in_doubt)
            continue;
        place.name = one->where;
        if (*kind == protocol::place_kind::at_node || is_known_to_run(*one))
            continue;
        if (auto const* other = open.first_at(one->where, looked_at_for_running, is_known_to_run))
            place.running_there = other->id;
    }
    return found;
}

} // namespace baton::trigger
