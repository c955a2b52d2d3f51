#pragma once

#include "libs/base/loop.hpp"
#include "libs/protocol/client_wire.hpp"
#include "libs/storage/ledger.hpp"
#include "trigger/delivery/reported_times.hpp"
#include "trigger/delivery/reporter.hpp"
#include "trigger/delivery/settings.hpp"

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>

namespace baton::trigger {

// Commits the results that clients report, in groups: at once when idle, otherwise all that arrived since the last
// transaction began, which was at least `results.pause` before. The client gets its answer after the commit, so it can
// forget the results that the answer names. On the loop only.
class collector {
public:
    // All of it lives longer than the collector.
    struct dependencies {
        storage::ledger& ledger;
        reporter& report;
        time_source& time;
    };

    // `self`: the incarnation of this node, kept with each result.
    collector(results_settings settings, std::string self, dependencies deps, asio::any_io_executor loop);

    // Returns when the results are durable. Throws invalid_input for a malformed message, and unavailable if too many
    // results wait or the commit failed: the client then keeps its results and sends them again.
    awaitable<void> take(protocol::results_request message);

    awaitable<void> run();

private:
    struct submission {
        explicit submission(asio::any_io_executor loop) : done(std::move(loop)) {}
        std::vector<storage::result_row> rows;
        std::size_t bytes = 0;
        waker done;
        std::string failure; // empty: durable
    };
    awaitable<void> await_group();
    std::vector<std::shared_ptr<submission>> gather();
    void report(std::vector<storage::result_row> const& rows);
    void note_clock(execution_id execution, std::string const& client, reported_times const& told);
    awaitable<void> commit(std::vector<std::shared_ptr<submission>> group);
    using refusals = std::map<execution_id, std::string>;
    awaitable<refusals> record(std::vector<storage::result_row> const& rows);

    results_settings settings_;
    std::string self_;
    dependencies deps_;
    asio::any_io_executor loop_;
    std::deque<std::shared_ptr<submission>> queue_;
    std::size_t queued_ = 0;
    std::size_t queued_bytes_ = 0;
    instant next_; // no transaction begins before it
    waker bell_;
    std::unordered_set<std::string> wrong_clocks_; // clients that the log has named
};

} // namespace baton::trigger
