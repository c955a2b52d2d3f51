#include "trigger/master/admission_places.hpp"
#include "trigger/master/admissions.hpp"

#include <limits>

namespace baton::trigger {

// The executions of a task with a concurrency limit that an edit has given to another service. Those of either service
// may wait for a client for ever, and must not hold up the others meanwhile.

namespace {
constexpr std::size_t displaced_at_once = 1'000;
constexpr std::size_t lines_at_once = 100;
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
    auto* const other = find_unsent_holder(one, elsewhere);
    if (other == nullptr)
        return;
    other->displaced = true;
    gate_.hand_over(other->id, candidate(one, !one.begun));
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

// The holder of a place has found no client for a while.
void admissions::keep_no_others(open_execution& holder)
{
    if (has_moved_on(holder))
        displace(holder);
    else
        let_others_ask(place_of(holder));
}

// While a holder waits for a client of the present service, those in line that belong to a former one wait for their
// own clients, and ask for the place when there is one.
void admissions::let_others_ask(concurrency_gate::place const& where)
{
    auto const unsent = [this](execution_id id) {
        auto const* one = find_waiting(id);
        return one != nullptr && !one->begun && !has_moved_on(*one);
    };
    auto const moved_on = [this](execution_id id) {
        auto const* one = find_waiting(id);
        return one != nullptr && !one->begun && has_moved_on(*one);
    };
    auto const holder = gate_.holder_if_full(where, unsent);
    for (std::size_t i = 0; holder && i < displaced_at_once; ++i) {
        auto const next = gate_.first_waiting(where, moved_on);
        if (!next)
            return;
        auto& one = *scope_.open.find(*next);
        displace(one);
        scope_.open.wait(one, scope_.term.clock.now());
        scope_.due_changed.wake();
    }
    if (holder)
        promised_.emplace_back(scope_.term.time.now(), *holder); // more may be in line
}

// A task may have gone to another service while executions of it were in line.
void admissions::look_at_edited_lines()
{
    for (std::size_t i = 0; i < lines_at_once && !edited_lines_.empty(); ++i) {
        auto const from = *edited_lines_.begin();
        edited_lines_.erase(edited_lines_.begin());
        auto const here = gate_.next_line(from);
        if (!here || here->task != from.task)
            continue;
        let_others_ask(*here);
        if (here->key != std::numeric_limits<std::uint64_t>::max())
            edited_lines_.insert({here->task, here->key + 1});
    }
}

} // namespace baton::trigger
