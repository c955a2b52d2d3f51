#pragma once

#include "libs/base/id.hpp"
#include "libs/protocol/node_wire.hpp"
#include "libs/storage/ledger.hpp"
#include "trigger/master/due_queue.hpp"
#include "trigger/master/task_book.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace baton::trigger {

// The place of an open execution, as far as the master knows.
enum class phase {
    waiting,  // in the queue of due times
    assigned, // given to the node in `where`, which has not reported yet
    held,     // the client in `where` has it
    in_doubt, // a client may have it: the clients must be asked
    opening,  // its next attempt is being opened
    parent,   // a broadcast whose shards are under way
};

struct open_execution {
    execution_id id;
    std::shared_ptr<known_task const> task;
    utc_time scheduled_at;
    utc_time due_at;
    utc_time queued_at; // the instant for which it waits
    int attempt = 1;
    int max_attempts = 1;
    trigger::phase phase = phase::waiting;
    std::string where;                                                       // node or client of the phase
    protocol::attempt_cause next_cause = protocol::attempt_cause::take_over; // in doubt: of the next attempt
    instant since{};                                                         // of the phase
    bool cancel_requested = false;
    bool scheduled = false; // a firing, which an edit may take back, and not a run now
    std::optional<execution_id> parent;
    int shard_index = 0;
    int shard_total = 1;
    std::string shard_instance;
    std::optional<protocol::json_text> payload; // in place of the task's own

    bool broadcast() const
    {
        return task->definition.routing == protocol::routing::broadcast && !parent && shard_instance.empty();
    }
};

open_execution make_open_execution(storage::open_execution_row const& row, std::shared_ptr<known_task const> task);
protocol::assignment make_assignment(open_execution const& execution);

// The open executions that the master has in memory, and the queue of those that wait for their instant.
class open_set {
public:
    explicit open_set(time_source const& time) : time_(time) {}

    // Lives from before the ledger is read or written until the answer is used. An execution that ends in between may
    // still be open in the answer; without this it would be loaded and fired again.
    class reading {
    public:
        explicit reading(open_set& set) : set_(set) { set_.readings_.insert(this); }
        ~reading() { set_.readings_.erase(this); }
        reading(reading const&) = delete;
        reading& operator=(reading const&) = delete;

        bool ended(execution_id id) const { return ended_.contains(id); }

    private:
        friend class open_set;
        open_set& set_;
        std::unordered_set<execution_id> ended_;
    };

    // Adds an execution as waiting. False if it is known already, or has ended since `as_of` began.
    bool add(open_execution one, reading const& as_of);
    open_execution* find(execution_id id);
    void erase(execution_id id); // it has ended
    std::size_t size() const { return executions_.size(); }

    void move(open_execution& one, phase to, std::string where = {});
    void wait(open_execution& one, utc_time due); // back into the queue

    std::optional<utc_time> next_due() const { return queue_.next(); }
    // The executions that still wait and are due, each once.
    std::vector<execution_id> take_due(utc_time now, std::size_t most);

    template <class Visit>
    void each(Visit visit)
    {
        for (auto& [id, one] : executions_)
            visit(one);
    }

    // The same for those that do not wait, which are few of many. `visit` must not move any.
    template <class Visit>
    void each_under_way(Visit visit)
    {
        for (auto const& [id, one] : under_way_)
            visit(*one);
    }

    // The rows of these executions were not as this master believed: the sweeper reads them again.
    void mark_stale(std::vector<execution_id> const& ids) { stale_.insert(stale_.end(), ids.begin(), ids.end()); }
    std::vector<execution_id> take_stale() { return std::exchange(stale_, {}); }

    // Executions of a service that are past due and that no client has taken, by the last count.
    std::size_t backlog(std::string const& service) const;
    void count_backlog(utc_time now);

private:
    time_source const& time_;
    std::unordered_map<execution_id, open_execution> executions_;
    std::unordered_map<execution_id, open_execution*> under_way_; // of these, those that are not `waiting`
    due_queue queue_;
    std::unordered_map<std::string, std::size_t> backlog_;
    std::vector<execution_id> stale_;
    std::set<reading*> readings_;
};

} // namespace baton::trigger
