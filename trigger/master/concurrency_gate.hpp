#pragma once

#include "libs/base/id.hpp"
#include "libs/base/time.hpp"
#include "libs/protocol/concurrency.hpp"

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace baton::trigger {

// Decides which executions of a task, or of a key of a task, may be under way at the same time. The latest version of
// the task that is known decides how many, also for the executions of earlier versions. Without clock and I/O.
class concurrency_gate {
public:
    struct place {
        task_id task;
        std::uint64_t key = 0; // protocol::key_hash
        auto operator<=>(place const&) const = default;
    };
    struct candidate {
        execution_id id;
        utc_time scheduled_at; // its place in line; if the newest replaces others, when it was due
        bool may_skip = true;  // false: it was sent before
        bool forced = false;   // waits for handlers that run on alone, and is never skipped
        int version = 0;       // of its task, whose limit it brings
    };
    enum class verdict { admitted, waits, skipped };
    struct ruling {
        verdict what = verdict::admitted;
        std::vector<execution_id> skip;       // others that waited, and are to be skipped in favour of this one
        std::vector<execution_id> cancel;     // under way, and to be cancelled in favour of this one
        std::vector<execution_id> admitted{}; // that waited
        bool outdated = false;                // newer ones are there, and replace this one
    };

    // A due execution asks to be admitted, under the policy of its task. One that is admitted or waits already keeps
    // its place.
    ruling enter(place const& where, protocol::concurrency_policy const& policy, candidate const& which);

    // It may be under way, so it counts from now on, even beyond the limit. Returns those that are admitted in the
    // place where it waited.
    std::vector<execution_id> hold(place const& where, protocol::concurrency_policy const& policy,
                                   candidate const& which);

    // An edit has given the task another limit; 0: none. admit_more() admits those that a higher one lets go on.
    void edit(task_id task, int version, int limit);
    // Admits a part of those that a raised limit lets go on. Call it again until it has none left.
    std::vector<execution_id> admit_more();
    bool has_more() const { return !raised_.empty(); }
    // True if executions of the task are under way or wait.
    bool knows(task_id task) const { return limits_.contains(task); }
    // The first such task behind `last`, in order of ids.
    std::optional<task_id> next_task(task_id last) const;

    // `from` is not under way after all. Its place goes to this one, before all that wait. If `from` was
    // admitted by force and the limit is reached without it, `to` gets no place and must enter.
    void hand_over(execution_id from, candidate const& to);

    // Its execution has ended without its handler, which counts until it leaves. Nothing that is forced begins before.
    void runs_on(execution_id id);

    // It is not under way after all. It must enter again, if others are under way up to the limit. Those that are
    // forced count for one that is forced only: they take no place from another.
    std::vector<execution_id> release_if_full(execution_id id);

    // It is not under way after all, so it waits in its place in line, unless newer ones have replaced it.
    ruling give_back(protocol::concurrency_policy const& policy, candidate const& which);

    // It has ended, whether it was under way or waited. Returns those that are admitted in its place.
    std::vector<execution_id> leave(execution_id id);

    // If no place is free for another one: the first that is under way and meets `which`, of the first hundred.
    std::optional<execution_id> holder_if_full(place const& where,
                                               std::function<bool(execution_id)> const& which) const;

    // One that waits, with its place in line.
    using waiting_one = std::pair<utc_time, execution_id>;
    // At most `most` of those that wait behind this one, in order; behind none (a default) from the first.
    std::vector<waiting_one> waiting_behind(place const& where, waiting_one const& last, std::size_t most) const;
    // The place that it holds, if others wait for it.
    std::optional<place> place_blocking_others(execution_id id) const;
    // The first line from this one on, in order of places.
    std::optional<place> next_line(place const& from) const;

    bool holds(execution_id id) const;
    bool waits(execution_id id) const;
    std::size_t places() const { return lines_.size(); }

private:
    struct task_limit {
        int version = 0;       // of the task
        std::size_t most = 1;  // under way; 0: any number
        std::size_t lines = 0; // of the task
    };
    struct line {
        task_limit* of = nullptr;
        std::set<std::pair<utc_time, execution_id>> holders; // by the time of their firing
        std::set<std::pair<utc_time, execution_id>> waiting;
        std::set<execution_id> forced;     // of these
        std::set<execution_id> beyond;     // of the holders: admitted by force
        std::set<execution_id> running_on; // of the holders
        bool has_room() const { return of->most == 0 || holders.size() < of->most; }
        bool admits() const { return has_room() && waiting.size() == forced.size(); }
    };
    struct position {
        place where;
        utc_time scheduled_at;
        bool holds = false;
    };
    static std::size_t under_way(line const& in, execution_id one);
    line& line_at(place const& where, protocol::concurrency_policy const& policy, int version);
    void drop_if_unused(place const& where);
    ruling enter(line& here, place const& where, protocol::concurrency_policy const& policy, candidate const& which);
    void put(line& into, place const& where, candidate const& which, bool holds);
    std::vector<execution_id> promote(place const& where, line& in);
    ruling replace(line& in, candidate const& by);

    static constexpr std::size_t most_at_once = 1'000;    // admitted, or lines looked at
    static constexpr std::ptrdiff_t most_looked_at = 100; // of a line

    std::map<task_id, task_limit> limits_;
    std::map<place, line> lines_;
    std::map<task_id, std::uint64_t> raised_; // the keys from which lines may have room that is not used yet
    std::unordered_map<execution_id, position> positions_;
};

} // namespace baton::trigger
