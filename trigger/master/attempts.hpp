#pragma once

#include "libs/base/loop.hpp"
#include "libs/storage/ledger.hpp"
#include "trigger/master/open_set.hpp"
#include "trigger/master/term.hpp"

#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace baton::trigger {

// Opens further attempts: after a failure, and for what a client or node took with it. In groups, fenced; then they
// wait for their instant like any other. Also ends what will never be delivered. Part of a term.
class attempts {
public:
    // `stale`: rows that were not as this master believed, to be read again.
    attempts(term& term, storage::ledger& ledger, open_set& open, asio::any_io_executor loop,
             std::function<void()> opened, std::function<void(std::vector<execution_id>)> stale);

    void open(open_execution& one, utc_time due, protocol::attempt_cause cause);
    void cancel(open_execution& one);
    void fail(open_execution& one, std::string why);

    // Those that cancel and fail have ended.
    void on_ended(std::function<void(execution_id)> watcher) { ended_ = std::move(watcher); }

    awaitable<void> run();

private:
    awaitable<void> open_group();
    awaitable<void> end_group(std::deque<execution_id>& from, std::string why, bool failed);

    term& term_;
    storage::ledger& ledger_;
    open_set& open_;
    std::function<void()> opened_;
    std::function<void(std::vector<execution_id>)> stale_;
    std::function<void(execution_id)> ended_;
    std::deque<storage::next_attempt> to_open_;
    std::deque<execution_id> to_cancel_;
    std::map<std::string, std::deque<execution_id>> to_fail_; // by reason
    waker bell_;
};

} // namespace baton::trigger
