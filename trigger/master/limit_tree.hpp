#pragma once

#include "libs/base/id.hpp"
#include "libs/protocol/blocker.hpp"
#include "libs/protocol/service_settings.hpp"
#include "libs/storage/ledger.hpp"
#include "trigger/master/gcra.hpp"

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace baton::trigger {

// Keeps the rate limits of tasks, and the limits of rate and concurrency of services and projects. Tasks, services and
// projects are the levels of a tree. Each has a line of those that wait below it: a task its executions, a service its
// tasks and a project its services, each by the first of its own line, and only while its own limits let that one go
// on. So an execution goes on when all limits above it do, it takes nothing before that, and each end and each token
// costs a walk up the tree, however many wait.
//
// An execution is first promised a place: it counts for the concurrency, and tokens are kept for it. It takes the
// tokens when it is sent, with start(). If it finds no client, step_back() gives its promise to others. Without clock
// and I/O.
class limit_tree {
public:
    struct member {
        execution_id id;
        task_id task;
        int version = 0; // of the task
        protocol::rate_limit const& rate;
        protocol::service_view service;
        utc_time place;         // in line: protocol::place_in_line
        bool broadcast = false; // counts for its task only
        bool shard = false;     // counts for the others only
    };
    enum class stage {
        unknown,
        waits,
        promised,
        idle, // it has stepped back
        sent,
    };

    // Call it once in a new term, before anything enters. Rates of more than a token a second begin without tokens,
    // slower rates with the state that the last master has recorded.
    void begin(utc_time now, std::vector<storage::limit_state> const& kept);
    // The limits of services and projects.
    void set_limits(std::vector<protocol::scope_settings> const& all, utc_time now);

    // An edit has given the task another rate, which holds for its waiting executions as well.
    void edit(task_id task, int version, protocol::rate_limit const& rate, utc_time now);
    // True if executions of the task may wait for its rate.
    bool knows(task_id task) const;
    // The first such task behind `last`, in order of ids.
    std::optional<task_id> next_task(task_id last) const;

    // True if one of the limits applies to it.
    bool concerns(member const& which) const;
    bool any_service_limited() const { return !limits_.empty(); }

    // The execution asks to be sent, and waits until wake() returns it. It keeps the concurrency slots that it has.
    void enter(member const& which, utc_time now);
    // Promises places to at most `most` waiting executions, and returns them.
    std::vector<execution_id> wake(utc_time now, std::size_t most);
    // When to call wake() again; nothing if only an end or a change of the limits can let an execution go on.
    std::optional<utc_time> next() const;

    stage at(execution_id id) const;
    // A promised execution is sent, and takes its tokens.
    void start(execution_id id, utc_time now);
    // A promised execution has found no client. Its task lets others go first, for a second and longer each time. When
    // an execution that stepped back enters again, the task goes on, and those behind the last that stepped back wait
    // until all of these have entered again or ended, or the time is over.
    void step_back(execution_id id, utc_time now);
    // The execution may be under way, so it takes concurrency slots, even beyond the limit.
    void hold(member const& which, utc_time now);
    // The execution is not under way after all. If more are than a limit allows, it is forgotten and must enter again.
    void release_if_over(execution_id id, utc_time now);
    // The same for one that has not begun: it waits in its place in line.
    void give_back(member const& which, utc_time now);
    // The execution was sent and did not begin: its tokens are there for the first in line. It keeps its place under
    // limits of concurrency, and takes tokens again when it enters again.
    void put_back_tokens(execution_id id, utc_time now);
    // The execution has ended.
    void leave(execution_id id, utc_time now);

    // The first limit that keeps it back.
    protocol::blocker blocker_of(execution_id id, utc_time now) const;

    // True if the tokens promised to the execution must be recorded in the ledger before it is sent: a limit of it is
    // slow (gcra::slow), and what is recorded of it does not cover a start at `now`.
    bool must_record(execution_id id, utc_time now) const;
    // The states to record for these executions. They cover a start within a second; if that was too short for an
    // earlier one, within twice as long, up to the time that a token takes.
    std::vector<storage::limit_state> states_to_record(std::vector<execution_id> const& ids, utc_time now) const;
    // The ledger has these states.
    void recorded(std::vector<storage::limit_state> const& states);

    std::size_t size() const { return positions_.size(); }
    std::size_t tasks() const { return tasks_.size(); }

private:
    // Those that have their concurrency come first: they alone can end and let others go on.
    struct rank {
        bool fresh = true;
        utc_time place;
        execution_id id;
        auto operator<=>(rank const&) const = default;
    };
    enum class level { task, service, project };
    // The executions of a task of one kind (kind_of) at one service, since an edit may give the task to another one. A
    // broadcast counts at none.
    struct task_key {
        task_id task;
        int kind = 0;
        protocol::service_key service;
        auto operator<=>(task_key const&) const = default;
    };
    // Of a task whose promised executions found no client.
    struct closing_state {
        utc_time until{};
        duration lasts{};
        std::set<rank> idle; // stepped back since it began
        rank last{};         // of these, also of those that have entered again
        bool partly = false; // one has entered again, so a client is there: those up to the last may go on
        bool keeps_back(rank const& first, utc_time now) const { return now < until && !(partly && first <= last); }
    };
    struct node {
        node* parent = nullptr;
        limit_tree::level level = limit_tree::level::task;
        std::uint64_t serial = 0;
        task_key task;
        protocol::service_key of; // an empty service: of the project
        int rate_version = 0;     // of the task, whose rate this is
        int slots = 0;            // 0: no limit
        int used = 0;             // of the slots; counted without a limit, too
        int promised = 0;         // tokens, likewise
        int members = 0;          // executions that begin here
        gcra rate;
        utc_time recorded{};        // the state of the rate that the ledger has, if it is slow
        duration ahead{};           // for how long the next state to record covers a start
        std::map<rank, node*> line; // null: an execution
        std::optional<rank> offer;  // the place in the line of the parent
        std::optional<utc_time> timer;
        closing_state closing;
    };
    struct position {
        node* leaf = nullptr;
        rank place;
        limit_tree::stage stage = limit_tree::stage::unknown;
        bool holds = false; // its concurrency
        bool took = false;  // its tokens
    };

    protocol::scope_limits const* limits_of(protocol::service_view which) const;
    node& task_node(member const& which, utc_time now);
    node& scope_node(protocol::service_view which);
    // The other nodes with the rate of its task.
    std::vector<node const*> twins_of(node const& which) const;
    void begin_rate(node& which, protocol::rate_limit const& rate);
    position& position_of(member const& which, utc_time now);
    void drop_if_unused(node& which, utc_time now);

    void record(node& which, utc_time full_at);

    bool lets(node const& which, bool fresh, utc_time now) const;
    std::optional<rank> offer_of(node& which, utc_time now);
    void settle(node& which, utc_time now);
    void settle_path(node* leaf, utc_time now);
    void arm(node& which, utc_time at);
    void fire_timers(utc_time now, std::size_t most);
    execution_id grant(node& top, utc_time now);
    static void no_longer_idle(position& which);
    static void unpromise(position& which);
    static void release(position& which);

    std::map<task_key, node> tasks_;
    protocol::service_table<node> scopes_; // services and projects
    protocol::service_table<protocol::scope_limits> limits_;
    std::unordered_map<execution_id, position> positions_;
    std::map<rank, node*> ready_; // without a parent, and with something to grant
    std::map<std::pair<utc_time, std::uint64_t>, node*> timers_;
    std::map<std::pair<task_id, protocol::service_key>, utc_time> recorded_; // by the last master
    std::uint64_t serial_ = 0;
    utc_time began_{};
};

} // namespace baton::trigger
