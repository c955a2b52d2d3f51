#pragma once

#include "libs/protocol/service_key.hpp"
#include "trigger/master/open_execution.hpp"
#include "trigger/master/pending_edits.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace baton::trigger {

// The open executions that the master has in memory, and the queue of those that wait for their instant.
class open_set {
public:
    explicit open_set(time_source const& time);

    // Lives from before the ledger is read or written until the answer is used. The answer may be older than what this
    // master learns in between: that an execution ended, or is to be cancelled, or that its task was edited.
    class reading {
    public:
        explicit reading(open_set& set) : set_(set) { set_.readings_.insert(this); }
        ~reading() { set_.readings_.erase(this); }
        reading(reading const&) = delete;
        reading& operator=(reading const&) = delete;

        bool ended(execution_id id) const { return ended_.contains(id); }
        // True if an edit of the task may have taken this firing back. Only a reading that begins now can tell.
        bool edited(open_execution const& one) const
        {
            return one.scheduled && !one.has_begun() && edited_.contains(one.task->id);
        }

        // The writer of these rows adds them itself when it has its answer; until then no other part may load them.
        void expect(execution_id id) { expected_.insert(id); }

    private:
        friend class open_set;
        open_set& set_;
        std::unordered_set<execution_id> expected_;
        std::unordered_set<execution_id> ended_;
        std::unordered_set<execution_id> to_cancel_;
        std::unordered_set<task_id> edited_;
    };

    // Adds an execution as waiting. False if it is known already, or has ended since `as_of` began, or if its task was
    // edited since: then the sweeper reads it again.
    bool add(open_execution one, reading const& as_of);
    bool expects(execution_id id) const;
    open_execution* find(execution_id id);
    // Before all others if the execution has ended.
    utc_time place_in_line(execution_id id) const;
    void erase(execution_id id); // it has ended
    std::size_t size() const { return executions_.size(); }

    // Gives back the credit of an execution that no node or client has any more.
    void move(open_execution& one, phase to, std::string where = {});
    void wait(open_execution& one, utc_time due); // back into the queue
    // The same after a pause, which ends at this instant of the boot clock whatever happens to cluster time.
    void wait_for(open_execution& one, instant until);
    // True until then.
    bool pauses(open_execution const& one) const;
    // It uses this credit from now on, if any.
    void charge(open_execution& one, credit* which);
    // It uses a place of this client, which the master has named, from now on, if any.
    void charge_named(open_execution& one, named_credit* which);
    // Executions that this node or client has.
    std::size_t count_at(std::string const& where) const;
    // Called with the service for which a credit was given back.
    void on_release(std::function<void(protocol::service_view service)> watcher) { released_ = std::move(watcher); }

    // Called with a client's credit that was given back.
    void on_named_release(std::function<void(named_credit const&)> watcher) { named_released_ = std::move(watcher); }
    // Called with each execution that comes into memory.
    void on_add(std::function<void(open_execution&)> watcher) { added_ = std::move(watcher); }

    // Called with each execution that has ended.
    void on_end(std::function<void(execution_id)> watcher) { ended_ = std::move(watcher); }

    // Executions to ask their clients about: no report that they run came within their timeout, or a client says that
    // they have failed and the result is missing. Each comes again after a pause that doubles, until run_is_known() or
    // its end.
    std::vector<execution_id> take_unreported(std::size_t most);
    void run_is_known(open_execution& one);
    void
    expect_result(open_execution& one); // its client says that it has failed, and is asked again if no result comes
    void ask_soon(open_execution& one); // one of take_unreported, whose client could not be asked now

    std::optional<utc_time> next_due() const { return queue_.next(); }
    // The end of the next pause.
    std::optional<instant> next_after_pause() const;
    // The earliest due time in the ledger of what next_due() and next_after_pause() tell of.
    std::optional<utc_time> next_recorded_due() const;
    // The executions that still wait and are due, each once; services take turns.
    std::vector<execution_id> take_due(utc_time now, std::size_t most);

    template <class Visit>
    void each(Visit visit)
    {
        for (auto& [id, one] : executions_)
            visit(one);
    }

    // The executions that this node or client has. `visit` must not move any.
    template <class Visit>
    void each_at(std::string const& where, Visit visit)
    {
        if (auto const found = places_.find(where); found != places_.end())
            for (auto const id : found->second)
                visit(executions_.at(id));
    }
    // The first of these, in order of ids, that meets `which`, of the first `most`.
    template <class Which>
    open_execution const* first_at(std::string const& where, std::size_t most, Which which) const
    {
        auto const found = places_.find(where);
        if (found == places_.end())
            return nullptr;
        for (auto const id : found->second) {
            auto const& one = executions_.at(id);
            if (which(one))
                return &one;
            if (--most == 0)
                return nullptr;
        }
        return nullptr;
    }
    template <class Visit>
    void each_place(Visit visit) // the nodes and clients that have some
    {
        for (auto const& [where, ids] : places_)
            visit(where);
    }
    // The executions in doubt of a service, in order of time.
    protocol::service_map<std::set<execution_id>> const& in_doubt() const { return in_doubt_; }

    // The same for those that do not wait, which are few of many. `visit` must not move any.
    template <class Visit>
    void each_under_way(Visit visit)
    {
        for (auto const& [id, one] : under_way_)
            visit(*one);
    }

    // The execution, or the broadcast and its shards, is to be cancelled. `cancellations` takes the requests.
    void request_cancel(open_execution& one);
    void request_cancel(execution_id id);
    std::vector<execution_id> take_cancel_requests() { return std::exchange(cancel_requests_, {}); }

    // The task was edited: what is being read of it now may be older.
    void edited(task_id task);
    // The firings of the task at or after `from` that wait.
    std::vector<execution_id> waiting_firings(task_id task, utc_time from) const;

    // The executions of the task that wait, firings and runs. `visit` must not move any; it returns false to stop.
    template <class Visit>
    void each_waiting_of(task_id task, Visit visit)
    {
        for (auto* const all : {&waiting_firings_, &waiting_runs_})
            for (auto at = all->lower_bound({task, utc_time{duration::min()}, execution_id{}});
                 at != all->end() && std::get<task_id>(*at) == task; ++at)
                if (!visit(executions_.at(std::get<execution_id>(*at))))
                    return;
    }

    // The first task behind `last` of which executions wait, in order of ids.
    std::optional<task_id> next_waiting_task(task_id last) const;

    // True if pauses and the concurrency policy of its task do not keep it back. A shard is forced if its broadcast is.
    bool is_forced(open_execution const& one) const;

    // True if the misfire policy of its task leaves this waiting firing out: it is late, and later ones are due.
    bool is_misfire(open_execution const& one, utc_time now) const;
    // The same for a firing that could not be sent in time because no client could take it, and that is about to be
    // sent. The time for which the limit of its task kept it back does not make it late.
    bool is_left_out(open_execution const& one, utc_time now) const;

    // The edits that are announced. take_due() leaves out the firings that wait for one, and looks at them again later.
    pending_edits& edits() { return edits_; }

    // The rows of these executions were not as this master believed: the sweeper reads them again.
    void mark_stale(std::vector<execution_id> const& ids) { stale_.insert(stale_.end(), ids.begin(), ids.end()); }
    std::vector<execution_id> const& stale() const { return stale_; }
    // The first ones have been read again.
    void forget_stale(std::size_t count)
    {
        stale_.erase(stale_.begin(), stale_.begin() + static_cast<std::ptrdiff_t>(count));
    }

    // Executions of a service that no client has: planned, due, assigned or in doubt. Broadcasts count until they end.
    std::size_t backlog(protocol::service_view service) const;

private:
    using planned_firing = std::tuple<task_id, utc_time, execution_id>;
    static planned_firing firing(open_execution const& one) { return {one.task->id, one.scheduled_at, one.id}; }
    void enter(open_execution const& one);
    void leave(open_execution const& one);
    void expect_report(open_execution& one, instant by);
    void end_pauses(utc_time now, std::size_t most);

    time_source const& time_;
    std::unordered_map<execution_id, open_execution> executions_;
    std::unordered_map<execution_id, open_execution*> under_way_;    // of these, those that are not `waiting`
    std::unordered_map<std::string, std::set<execution_id>> places_; // node or client to what it has
    protocol::service_map<std::set<execution_id>> in_doubt_;
    std::set<planned_firing> waiting_firings_;
    std::set<planned_firing> waiting_runs_;                                     // the same of those that are no firings
    std::unordered_map<execution_id, std::unordered_set<execution_id>> shards_; // by broadcast
    std::vector<execution_id> cancel_requests_;
    due_queue queue_;
    std::set<std::pair<instant, execution_id>> pauses_;
    std::set<std::pair<instant, execution_id>> unreported_; // those that clients have, with a timeout
    protocol::service_map<open_service> services_;
    std::function<void(protocol::service_view)> released_;
    std::function<void(named_credit const&)> named_released_;
    std::function<void(open_execution&)> added_;
    std::function<void(execution_id)> ended_;
    std::vector<execution_id> stale_;
    std::set<reading*> readings_;
    pending_edits edits_;
};

} // namespace baton::trigger
