#pragma once

#include "libs/base/loop.hpp"
#include "libs/protocol/service_key.hpp"
#include "trigger/master/term_scope.hpp"
#include "trigger/master/watermark.hpp"

#include <cstddef>
#include <deque>
#include <functional>
#include <utility>

namespace baton::trigger {

// Marks executions as out before they are sent, if they are sent so late that the watermark has passed them, or if the
// ledger shows that a limit keeps them back; and all that may begin at most once, so that a new master knows which of
// them were sent. Takes as many as clients have room for, in groups of one transaction, in which services take turns.
// Meanwhile they wait for their clients where they stand, and obey all policies. An execution that a person has
// cancelled meanwhile, or whose task was stopped, is not marked; the sweeper reads it again. A mark is taken back from
// an execution that still waits a second later. Part of a term.
class late_sends {
public:
    late_sends(term_scope const& scope, watermark& mark) : scope_(scope), mark_(mark), bell_(scope.loop) {}

    bool concerns(open_execution const& one) const;
    // How many more of the service may be taken; the others wait until one group is marked.
    std::size_t room(protocol::service_view service) const;
    // Nothing if it is being marked already.
    void take(open_execution& one);
    // The node has not handed it to a client, or the client has given it back, and it waits again. One that was away
    // for long is marked anew before it is sent, since its task may have been stopped meanwhile.
    void returned(open_execution& one);

    // While this is true, everything late is marked: the mark does not hit what was stopped.
    void while_stops_are_unknown(std::function<bool()> question) { stops_unknown_ = std::move(question); }
    // Called with the service of which executions have been marked.
    void on_marked(std::function<void(protocol::service_view)> watcher) { marked_ = std::move(watcher); }

    awaitable<void> run();

private:
    struct group {
        std::vector<protocol::attempt_key> attempts;
        std::map<protocol::service_key, std::size_t> taken; // from the front of the queue of each service
    };
    group next_group();
    awaitable<void> mark_group();
    void expire_mark_later(open_execution& one);
    void go_on(protocol::attempt_key const& which, bool marked);
    open_execution* find_waiting(protocol::attempt_key const& which);
    awaitable<void> unmark_idle();

    term_scope scope_;
    watermark& mark_;
    waker bell_;
    protocol::service_map<std::deque<protocol::attempt_key>> queues_; // none of them empty
    protocol::service_key last_;                                      // that had its turn
    std::deque<std::pair<instant, protocol::attempt_key>> idle_;      // marks, perhaps, that are kept until then
    std::function<void(protocol::service_view)> marked_;
    std::function<bool()> stops_unknown_;
};

} // namespace baton::trigger
