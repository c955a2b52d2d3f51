#pragma once

#include "libs/base/loop.hpp"
#include "libs/storage/ledger.hpp"
#include "trigger/master/completion_queue.hpp"
#include "trigger/master/suspect_line.hpp"
#include "trigger/master/term_scope.hpp"
#include "trigger/master/write_group.hpp"

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace baton::trigger {

// Opens the next attempt of executions that failed or were lost with a client or node, and ends those that will never
// be delivered. Works in groups, each one fenced transaction; a new attempt then waits for its instant like any other.
// Part of a term.
class attempts {
public:
    attempts(term_scope const& scope, completion_queue& done, suspect_line& suspects)
        : scope_(scope), done_(done), suspects_(suspects), bell_(scope.loop)
    {}

    void open(open_execution& one, utc_time due, protocol::attempt_cause cause);
    // The present attempt failed at `ended`, and attempts are left: opens the next one after the pause of the task's
    // retry policy.
    void retry(open_execution& one, utc_time ended);
    // The same for an execution that the ledger shows as retrying. `due`: its due time there, which is the end of the
    // attempt and the task's retry_delay.
    void retry_recorded(open_execution& one, utc_time due);
    // The client that may have begun this execution is gone. Opens the next attempt after a pause, or fails the
    // execution when it has reached the task's max_deaths.
    void client_died(open_execution& one, protocol::attempt_cause cause);
    void cancel(open_execution& one, std::string const& reason = "cancelled on request");
    void fail(open_execution& one, std::string why, protocol::state as = protocol::state::failed);
    // A policy of its task leaves this execution out. It has not been sent.
    void skip(open_execution& one, std::string const& reason);

    // Waits for its due time, by the boot clock, which no step of cluster time touches; a suspect also waits for its
    // turn.
    void wait(open_execution& one);

    // Called when a firing of a task that had reached its max_firings was skipped, so that the task fires once more:
    // with the instant from which it does.
    void on_given_back(std::function<void(utc_time)> watcher) { given_back_ = std::move(watcher); }

    awaitable<void> run();

private:
    instant end_of_pause(utc_time due) const;
    void begin_pause(open_execution& one);
    void begin_end(open_execution& one);
    void add_failure(open_execution& one, std::string why, bool died);
    // Each writes the first group of its queue. False if the database refuses all of it.
    awaitable<bool> open_group();
    awaitable<bool> cancel_group();
    awaitable<bool> fail_group();
    awaitable<bool> skip_group();
    awaitable<void> write_locked_again();
    awaitable<void> write_all();
    void opened(std::vector<storage::next_attempt> const& wanted, std::vector<execution_id> const& done);
    void note_ended(std::vector<execution_id> const& all, std::vector<execution_id> const& locked,
                    std::vector<execution_id>& left);
    void quarantine(execution_id id, std::string const& why);
    void keep_unended(storage::undeliverable one, std::string const& why);

    term_scope scope_;
    completion_queue& done_;
    suspect_line& suspects_;
    std::deque<storage::next_attempt> to_open_;
    using by_reason = std::map<std::string, std::deque<execution_id>>;
    static void drop_group(by_reason& all, by_reason::iterator group, std::size_t count);

    by_reason to_cancel_;
    std::deque<storage::undeliverable> to_fail_;
    by_reason to_skip_;
    struct {
        by_reason to_cancel;
        by_reason to_skip;
        std::deque<storage::undeliverable> to_fail;
        bool empty() const { return to_cancel.empty() && to_skip.empty() && to_fail.empty(); }
    } locked_; // by other transactions: they are tried again
    std::function<void(utc_time)> given_back_;
    refused_groups refusals_;
    waker bell_;
};

} // namespace baton::trigger
