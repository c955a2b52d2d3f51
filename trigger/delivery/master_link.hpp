#pragma once

#include "libs/http/client.hpp"
#include "trigger/delivery/local_master.hpp"
#include "trigger/election/known_epoch.hpp"
#include "trigger/membership/membership.hpp"

#include <functional>
#include <optional>
#include <string>

namespace baton::trigger {

// The way from this node to the current master: a call if this node leads, otherwise a request to the node that the
// lock row names. On the loop only.
class master_link {
public:
    struct dependencies {
        election_proxy const& election;
        known_epoch const& epochs;
        membership const& nodes;
        http::client& http;
        time_source& time;
    };
    explicit master_link(dependencies deps) : deps_(deps) {}

    // This node leads under `epoch` from now until `close`.
    void open(std::int64_t epoch, local_master& master);
    void close() { here_ = nullptr; }
    local_master* here() const { return here_; } // null while this node does not lead

    // Called with the incarnation of the other node when it has taken a report.
    void on_taken(std::function<void(std::string const& master)> watcher) { taken_ = std::move(watcher); }

    // Nothing if no master is known, it did not answer, or it does not lead any more.
    awaitable<std::optional<protocol::report_answer>> send(protocol::report_request const& report);

    // For this node's own master. Nothing if there is none, or its term is over but has not ended yet.
    std::optional<protocol::report_answer> take(protocol::report_request const& report);

    // May this node deliver under the present epoch? Assignments of its own master go out under its own mastership
    // only, or once it has released that: a node that takes over without a release then need not wait for this one.
    bool may_deliver() const;

private:
    storage::node_record const* find() const;

    dependencies deps_;
    local_master* here_ = nullptr;
    std::function<void(std::string const& master)> taken_;
    std::int64_t led_ = 0; // the epoch of this node's present or last term
};

} // namespace baton::trigger
