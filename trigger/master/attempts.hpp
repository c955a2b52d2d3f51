#pragma once

#include "libs/base/loop.hpp"
#include "libs/storage/ledger.hpp"
#include "trigger/master/completion_queue.hpp"
#include "trigger/master/term_scope.hpp"

#include <deque>
#include <map>
#include <string>
#include <vector>

namespace baton::trigger {

// Opens the next attempt of executions that failed or were lost with a client or node, and ends those that will never
// be delivered. Works in groups, each one fenced transaction; a new attempt then waits for its instant like any other.
// Part of a term.
class attempts {
public:
    attempts(term_scope const& scope, completion_queue& done) : scope_(scope), done_(done), bell_(scope.loop) {}

    void open(open_execution& one, utc_time due, protocol::attempt_cause cause);
    void cancel(open_execution& one);
    void fail(open_execution& one, std::string why);

    awaitable<void> run();

private:
    awaitable<void> open_group();
    awaitable<void> end_group(std::deque<execution_id>& from, std::string why, bool failed);

    term_scope scope_;
    completion_queue& done_;
    std::deque<storage::next_attempt> to_open_;
    std::deque<execution_id> to_cancel_;
    std::map<std::string, std::deque<execution_id>> to_fail_; // by reason
    waker bell_;
};

} // namespace baton::trigger
