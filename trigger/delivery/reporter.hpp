#pragma once

#include "libs/base/loop.hpp"
#include "trigger/delivery/known_attempts.hpp"
#include "trigger/delivery/lanes.hpp"

#include <deque>
#include <functional>
#include <optional>
#include <string>

namespace baton::trigger {

// Tells the master in groups, bounded by number and bytes, which executions this node delivered, could not deliver and
// saw finish, and how many more it can take, and repeats each until the master acknowledges it. The reports of
// executions are hints, because the ledger is the truth: beyond a bound the oldest `finished` and `started` are
// dropped. On the loop only.
class reporter {
public:
    struct dependencies {
        // Sends it to the current master. Nothing if it did not take the report.
        std::function<awaitable<std::optional<protocol::report_answer>>(protocol::report_request const&)> send;
        known_attempts& known; // is told of each acknowledgement
        lanes& clients;
        time_source& time;
    };
    // `self`: the incarnation of this node.
    reporter(std::string self, dependencies deps, asio::any_io_executor loop);

    void delivered(protocol::delivered one);
    void undelivered(protocol::undelivered one);
    void finished(protocol::finished one);
    void started(protocol::attempt_key one);
    void capacity_changed() { bell_.wake(); }

    // The master's last assignment has a lower number, as far as it told in answer to a report that was sent then. 0:
    // not told in this term.
    std::int64_t next_assignment() const { return next_assignment_; }
    instant asked_at() const { return asked_at_; }

    // Drops deliveries of older epochs: a new master asks the clients itself.
    void new_term(protocol::term_id term);

    // Reports at once when there is news, and otherwise twice a second, so that the master's silence shows.
    awaitable<void> run();

private:
    bool has_news() const;
    void acknowledge(protocol::report_request const& report, protocol::report_answer const& answer, instant asked);
    protocol::report_request take();
    void put_back(protocol::report_request report);

    std::string self_;
    dependencies deps_;
    protocol::term_id term_;
    std::int64_t next_assignment_ = 0;
    instant asked_at_{};
    int forgotten_ = 0; // by the master of this term, as far as it has told
    std::deque<protocol::delivered> delivered_;
    std::deque<protocol::undelivered> undelivered_;
    std::deque<protocol::finished> finished_;
    std::deque<protocol::attempt_key> started_;
    std::size_t bytes_; // of the next report
    waker bell_;
};

} // namespace baton::trigger
