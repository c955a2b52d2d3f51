#pragma once
// Looks at the facts of a run that several judges need.

#include "tests/simulation/pairs_facts.hpp"

namespace pairs_sim {

// The facts by execution and by task.
struct look {
    explicit look(facts const& all);

    facts const& seen;
    std::map<std::int64_t, execution_row const*> row;
    std::map<std::int64_t, std::vector<handler_call const*>> calls;   // in order
    std::map<std::int64_t, utc_time> taken;                           // the first acceptance
    std::map<std::int64_t, std::vector<execution_row const*>> rows;   // by task, in order of time
    std::map<std::int64_t, std::vector<task_version_row>> versions;   // by task, in order
    std::map<std::int64_t, std::vector<execution_row const*>> shards; // by broadcast
    std::map<std::int64_t, std::vector<execution_row const*>> reruns; // by what they run again

    drawn_task const* task_of(std::int64_t id) const; // null: the probe
    task_version_row const* version_of(execution_row const& one) const;
    // Until when a handler ran: its return, or the death of its process.
    utc_time end_of(handler_call const& call) const { return call.ended.value_or(call.died.value_or(seen.end)); }
    // The same as far as the cluster can know: a client that leaves says that nothing runs there any more.
    utc_time told_end_of(handler_call const& call) const
    {
        return std::min(end_of(call), call.left.value_or(seen.end));
    }
    // Its client may have counted as gone while it ran, so that another may have got its work.
    bool was_silent(handler_call const& call) const;
    bool was_renamed(handler_call const& call) const;
    bool is_forced(execution_row const& one) const;
    bool was_released(std::int64_t execution) const; // by a person
    bool clock_stepped() const;
    bool happened(item event) const;
    // The time in which the cluster could not work for want of a master, a database or messages, before `at`.
    // `after`: until it works again after an event.
    duration outages(utc_time from, utc_time until, duration after = 6s) const;
};

// "12.345 s" from the begin of the run.
std::string clock_of(facts const& seen, utc_time at);

// The instants of a schedule in [from, until), for the kinds that are known ahead.
std::vector<utc_time> instants_of(json const& schedule, utc_time from, utc_time until);

duration millis(json const& object, char const* member); // zero if it is absent

} // namespace pairs_sim
