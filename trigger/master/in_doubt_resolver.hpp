#pragma once

#include "libs/base/task_group.hpp"
#include "trigger/master/attempts.hpp"
#include "trigger/master/credits.hpp"
#include "trigger/master/doubt.hpp"
#include "trigger/master/doubts.hpp"
#include "trigger/master/earlier_attempts.hpp"
#include "trigger/master/node_calls.hpp"
#include "trigger/master/term_scope.hpp"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace baton::trigger {

// Finds out which client has an execution whose node died or whose master was replaced. Part of a term.
//
// 1. Announce: every live node hears of this epoch, so that none delivers under an older one, and answers with what it
//    can take. The master that was replaced is not waited for, because its own deadline binds it.
// 2. Read the clients again, and ask those of the service that live, through their home nodes. From then on a client
//    refuses older epochs, and refuses an execution that it does not have up to the attempt that was asked for, so that
//    no message that is still on its way can start it. A question is complete when each instance has answered or is
//    gone, at whatever node: a client may move between two questions.
// 3. An execution that no live client knows goes out as the next attempt. If a client runs an earlier attempt, because
//    its node or the client itself had counted as gone, the execution waits for the end of that attempt
//    (earlier_attempts), and is in doubt again then.
//
// Services are asked in parallel, each about its oldest executions first; a service whose clients do not answer makes
// no other wait.
class in_doubt_resolver final : public doubts {
public:
    struct dependencies {
        membership const& nodes;
        node_calls& calls;
        attempts& next;
        trigger::credits& credits;
    };
    in_doubt_resolver(term_scope const& scope, dependencies deps);
    // Called with an execution that a client was found to have, and with the time for which its handler has run.
    void on_held(std::function<void(open_execution const&, duration ran)> listener) { held_ = std::move(listener); }
    // Called with an execution of which a client runs an earlier attempt, and with the time for which its handler has
    // run; 0: unknown. More than once.
    void on_earlier(std::function<void(open_execution const&, duration ran)> listener)
    {
        earlier_listener_ = std::move(listener);
    }
    // Called with an execution that no client has.
    void on_absent(std::function<void(open_execution&)> listener) { absent_ = std::move(listener); }
    // Called with what a node says that it can take, in its answer to the announcement.
    void on_capacity(std::function<void(std::string const& node, protocol::capacity_message const&)> listener)
    {
        capacity_ = std::move(listener);
    }

    void add(open_execution& one, protocol::attempt_cause cause) override;

    // The client that may have this execution in doubt has given it back, or has lost it.
    void given_back(open_execution const& one, std::string const& client);

    // A client runs this earlier attempt of an execution that was sent to it.
    void runs_earlier(open_execution& one, std::string client, int attempt);

    awaitable<void> run();

    bool suspects(std::string const& incarnation) const override
    {
        return incarnation == scope_.term.replaced && !told_.contains(incarnation);
    }

private:
    struct inquiry;

    awaitable<void> work();
    awaitable<void> announce();
    awaitable<void> tell_node(std::string incarnation);
    awaitable<void> tell_replaced();
    awaitable<void> learn_of_clients(instant since);
    void start_services();
    awaitable<void> settle_service(protocol::service_key service);
    void note_silence(protocol::service_key const& service, inquiry const& about);
    std::shared_ptr<inquiry> next_inquiry(protocol::service_view service, execution_id after);
    awaitable<void> expect_all(protocol::service_key service, std::shared_ptr<inquiry> about);
    void client_changed(std::string const& instance);
    void spawn(char const* name, std::function<awaitable<void>()> step);
    void ask(std::shared_ptr<inquiry> const& about);
    awaitable<void> ask_home(std::string node, std::uint64_t arrival, std::shared_ptr<inquiry> about);
    bool is_gone(std::string const& client) const;
    utc_time due_again(open_execution const& one) const;
    void decide_one(open_execution& one, inquiry& about, bool complete);
    void decide(protocol::service_view service, inquiry& about, bool complete);
    void charge_at(open_execution& one, std::string const& client);

    term_scope scope_;
    dependencies deps_;
    std::function<void(std::string const&, protocol::capacity_message const&)> capacity_;
    std::function<void(open_execution const&, duration)> held_;
    std::function<void(open_execution const&, duration)> earlier_listener_;
    std::function<void(open_execution&)> absent_;
    std::set<std::string> told_;    // nodes that know this epoch
    std::set<std::string> telling_; // nodes that are being told
    protocol::service_set settling_;
    protocol::service_set silent_;                              // of these
    protocol::service_map<std::shared_ptr<inquiry>> inquiries_; // that are under way
    std::map<std::string, int> asking_;                         // questions under way, by node
    waker bell_;
    earlier_attempts earlier_;
    task_group workers_;
};

} // namespace baton::trigger
