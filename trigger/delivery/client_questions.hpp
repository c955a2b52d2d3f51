#pragma once

#include "libs/base/task_group.hpp"
#include "trigger/clients/client_calls.hpp"
#include "trigger/delivery/lanes.hpp"
#include "trigger/delivery/local_slave.hpp"
#include "trigger/delivery/told_questions.hpp"

#include <functional>
#include <memory>
#include <string>

namespace baton::trigger {

// Asks this node's clients for the master which executions they have, and tells them what to cancel: all clients at the
// same time, and none for longer than a bound. A client that has not proved itself at its address since its last
// failure is not called there; it is told to fetch the call. On the loop only.
class client_questions final : public local_questions {
public:
    struct dependencies {
        lanes& clients;
        client_calls& calls;
        time_source& time;
        task_group& background; // ends before this object
    };
    struct watchers {
        std::function<void(std::string const& instance, std::string const& why)> failed;
        std::function<void(std::string const& instance)> waits; // a question to a client whose address is not proved
        std::function<void(std::string const& instance)> answered;
    };
    client_questions(dependencies deps, asio::any_io_executor loop, watchers notify)
        : deps_(deps), loop_(std::move(loop)), notify_(std::move(notify)), told_(deps.calls, deps.time, deps.background)
    {}

    awaitable<protocol::ask_answer> ask(protocol::ask_request request) override;
    void cancel(protocol::cancel_at_request request) override;

private:
    struct round;
    void tell(std::shared_ptr<round> const& all, std::string const& instance);
    awaitable<void> ask_one(std::shared_ptr<round> all, std::string instance);
    void learn(std::string const& instance, protocol::query_answer const& answer);
    awaitable<void> cancel_one(protocol::cancel_at_request request, protocol::delivery_way way);

    dependencies deps_;
    asio::any_io_executor loop_;
    watchers notify_;
    told_questions told_;
};

} // namespace baton::trigger
