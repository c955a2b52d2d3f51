#pragma once

#include "tests/simulation/limits_facts.hpp"
#include "tests/simulation/limits_levels.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace limits_sim {

// Goes through a record in the order of time, and decides by the policies what a master must do.
class replay {
public:
    explicit replay(record const& seen);
    std::string differences();

private:
    using index = std::size_t; // of an execution
    using rank = std::pair<utc_time, std::int64_t>;
    using key = std::pair<int, std::string>; // of a task, and of its payload

    enum class stage { ahead, pending, gate, line, running, pause, over, skipped };
    struct status {
        replay::stage stage = stage::ahead;
        utc_time since{};
        std::string reason{};    // of those that are skipped
        bool maybe_sent = false; // a master before may have sent it
        bool must_cancel = false;
        bool may_give_way = false; // to a newer one that replaces it, which the clients decide by their answers
        utc_time cancel_by{};
        int failures = 0;
        std::size_t begun = 0; // attempts
        bool fresh = true;     // it has no slots of its service and project
    };
    using ranks = std::set<std::pair<rank, index>>;
    struct place {
        ranks holders, waiting;
    };
    // The open executions of one place that a new master finds.
    struct comers {
        ranks begun, known, in_doubt, planned_late;
    };
    // In which order they enter, which is open.
    struct entrance {
        std::size_t answered; // so many in doubt are known to be with no client before late firings are planned
        bool forced_last;     // those that are forced enter when the others have given their places back
    };
    enum class kind { end, retry, kill, begin, edit, due, deadline, start };
    struct event {
        utc_time at;
        replay::kind kind;
        index which;
        std::size_t number; // of the attempt, the term or the edit
        auto operator<=>(event const&) const = default;
    };

    task const& task_of(index i) const { return seen_.tasks[static_cast<std::size_t>(seen_.executions[i].task - 1)]; }
    rank rank_of(index i) const;
    place& place_of(index i) { return places_[{seen_.executions[i].task, seen_.executions[i].key}]; }
    bool may_skip(index i) const { return all_[i].begun == 0; }
    // An execution that may have been sent had its place: it comes back into the line, full or not.
    bool may_refuse(index i) const { return may_skip(i) && !all_[i].maybe_sent; }

    void put_events();
    void put_starts();
    utc_time free_at(index i, std::size_t number) const;
    void handle(event const& what);
    void begin(std::size_t term);
    bool waits(index i) const;
    void enter_all(key const& name, comers const& who, entrance const& order);
    bool lets_go_first(key const& name) const;
    bool has_freed_places(key const& name) const;
    bool agrees(comers const& who) const;
    void give_back(index i);
    bool has_newer(index i) const;
    void due(index i);
    bool is_too_late(index i) const; // to start
    void enter(index i);
    bool replace(index i);
    ranks::iterator first_without_force(place& in);
    void admit(index i);
    void promote(place& in);
    void skip(index i, std::string reason);
    void deadline(index i);
    void start(index i, std::size_t number);
    void end(index i, std::size_t number);
    void check_order(index i);
    bool goes_before(index j, index i);
    void check_idle();
    std::optional<utc_time> may_go_since(index i);
    void check_end();
    void check_state(index i);
    void complain(index i, std::string const& what);

    record const& seen_;
    levels levels_;
    std::vector<status> all_;
    std::map<key, place> places_;
    std::set<index> line_; // wait for the limits of rate, service and project, or have none
    std::set<event> events_;
    utc_time now_{};
    std::optional<utc_time> led_since_;
    utc_time died_{};
    std::string wrong_;
    int complaints_ = 0;
};

} // namespace limits_sim
