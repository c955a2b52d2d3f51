#include "trigger/master/admission_places.hpp"
#include "trigger/master/admissions.hpp"

#include <algorithm>
#include <limits>

namespace baton::trigger {

// The executions of a task with a concurrency limit that an edit has given to another service. Those of either service
// may wait for a client for ever, and must not hold up the others meanwhile.

namespace {
constexpr std::size_t displaced_at_once = 1'000;
constexpr std::size_t lines_at_once = 100;
constexpr std::size_t members_at_once = 100; // of a line
}

// An edit has given its task to another service since.
bool admissions::has_moved_on(open_execution const& one) const
{
    auto const& now = present_.holding(one).definition;
    return protocol::service_of(now) != protocol::service_of(one.task->definition);
}

// Executions that wait for a client of a service that had the task before may wait for ever.
void admissions::make_room(open_execution const& one)
{
    if (has_moved_on(one))
        return;
    auto const moved_on = [this](open_execution const& other) { return has_moved_on(other); };
    for (std::size_t i = 0; i < displaced_at_once; ++i) {
        auto* const other = find_unsent_holder(one, moved_on);
        if (other == nullptr)
            return;
        displace(*other);
    }
}

// A client has room for an execution that had left its place. One of another service that waits for a client leaves its
// place in turn.
void admissions::take_back_place(open_execution& one)
{
    auto const service = protocol::service_of(one.task->definition);
    auto const elsewhere = [&](open_execution const& other) {
        return protocol::service_of(other.task->definition) != service;
    };
    for (std::size_t i = 0; i < displaced_at_once && !gate_.holds(one.id);
         ++i) { // one beyond the limit hands over nothing
        auto* const other = find_unsent_holder(one, elsewhere);
        if (other == nullptr)
            return;
        other->displaced = true;
        gate_.hand_over(other->id, candidate(one, !one.begun));
    }
}

// Null if a place is free.
open_execution* admissions::find_unsent_holder(open_execution const& asking,
                                               std::function<bool(open_execution const&)> const& which)
{
    auto const found = gate_.holder_if_full(place_of(asking), [&](execution_id id) {
        auto const* one = find_waiting(id);
        return one != nullptr && !one->begun && which(*one);
    });
    return found ? scope_.open.find(*found) : nullptr;
}

// It goes on waiting for a client, and asks for a place when there is one.
void admissions::displace(open_execution& one)
{
    one.displaced = true;
    admitted(gate_.leave(one.id));
}

// The holder has found no client within promise_holds. It gives up its place if its task has moved to another service;
// otherwise those that wait may leave the line.
void admissions::unblock_line(open_execution& holder)
{
    if (!present_.knows(holder.task->id))
        return;
    if (has_moved_on(holder))
        return displace(holder);
    if (auto const where = gate_.place_blocking_others(holder.id))
        lines_to_look_at_.try_emplace(*where);
}

// A task may have gone to another service while executions of it were in line.
void admissions::look_at_lines()
{
    for (std::size_t i = 0; i < lines_at_once && !edited_lines_.empty(); ++i) {
        auto const from = *edited_lines_.begin();
        edited_lines_.erase(edited_lines_.begin());
        auto const here = gate_.next_line(from);
        if (!here || here->task != from.task)
            continue;
        lines_to_look_at_.try_emplace(*here);
        if (here->key != std::numeric_limits<std::uint64_t>::max())
            edited_lines_.insert({here->task, here->key + 1});
    }
    for (auto left = displaced_at_once; left > members_at_once && !lines_to_look_at_.empty();) {
        auto const line = lines_to_look_at_.begin();
        auto const looked_at = release_former_service(line->first, line->second);
        if (looked_at < members_at_once)
            lines_to_look_at_.erase(line);
        left -= std::min(left, looked_at + 1);
    }
}

// While a holder waits for a client of the present service: takes executions of former services out of the line. Each
// waits for its own client, and enters again when that has room. Looks at up to a hundred behind `last`; returns how
// many.
std::size_t admissions::release_former_service(concurrency_gate::place const& where,
                                               concurrency_gate::waiting_one& last)
{
    auto const unsent = [this](execution_id id) {
        auto const* one = find_waiting(id);
        return one != nullptr && !one->begun && !has_moved_on(*one);
    };
    if (!gate_.holder_if_full(where, unsent))
        return 0;
    auto const some = gate_.waiting_behind(where, last, members_at_once);
    for (auto const& each : some) {
        last = each;
        auto* one = find_waiting(each.second);
        if (one == nullptr || one->begun || !has_moved_on(*one))
            continue;
        displace(*one);
        scope_.open.wait(*one, scope_.term.clock.now());
        scope_.due_changed.wake();
    }
    return some.size();
}

} // namespace baton::trigger
