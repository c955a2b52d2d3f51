#pragma once

#include "libs/base/loop.hpp"
#include "libs/http/client.hpp"
#include "libs/protocol/node_wire.hpp"

#include <deque>
#include <functional>
#include <optional>
#include <string>

namespace baton::trigger {

// Where the master is: the address and secret of its node, or this node itself.
struct master_address {
    bool here = false;
    http::url at;
    std::string secret;
};

// Tells the master in groups what this node delivered, could not deliver, and saw finish. What the master has not
// acknowledged is told again. Hints: the ledger is the truth, so the oldest `finished` are dropped beyond a bound.
class reporter {
public:
    using find_master = std::function<std::optional<master_address>()>;
    // Nothing: this node is not the master after all.
    using take_here = std::function<std::optional<protocol::report_answer>(protocol::report_request const&)>;

    reporter(std::string self, http::client& http, time_source& time, asio::any_io_executor loop, find_master find,
             take_here here);

    void delivered(protocol::delivered one);
    void undelivered(protocol::undelivered one);
    void finished(protocol::finished one);

    // A new master asks for itself: deliveries under an older epoch are no news to it.
    void new_epoch(std::int64_t epoch);

    // Called for each (un)delivered that the master has acknowledged, with the number of its next assignment to this
    // node.
    void on_acknowledged(std::function<void(protocol::attempt_key const&, std::int64_t)> watcher)
    {
        acknowledged_ = std::move(watcher);
    }

    awaitable<void> run();

private:
    awaitable<std::optional<protocol::report_answer>> send(protocol::report_request const& report);
    void acknowledge(protocol::report_request const& report, std::int64_t assigned);
    protocol::report_request take();
    void put_back(protocol::report_request report);

    std::string self_;
    http::client& http_;
    time_source& time_;
    find_master find_;
    take_here here_;
    std::int64_t epoch_ = 0;
    std::deque<protocol::delivered> delivered_;
    std::deque<protocol::undelivered> undelivered_;
    std::deque<protocol::finished> finished_;
    std::function<void(protocol::attempt_key const&, std::int64_t)> acknowledged_;
    waker bell_;
};

} // namespace baton::trigger
