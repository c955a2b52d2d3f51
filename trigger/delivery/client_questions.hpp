#pragma once

#include "libs/base/task_group.hpp"
#include "trigger/clients/client_calls.hpp"
#include "trigger/delivery/lanes.hpp"
#include "trigger/delivery/local_slave.hpp"

#include <functional>
#include <memory>
#include <string>

namespace baton::trigger {

// Asks this node's clients for the master which executions they have, and tells them what to cancel: all clients at the
// same time, and none for longer than a bound. A client that has not proved itself at its address since its last
// failure is not asked. On the loop only.
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
        std::function<void(std::string const& instance)> waits; // the address of the client is not proved
        std::function<void(std::string const& instance)> answered;
    };
    client_questions(dependencies deps, asio::any_io_executor loop, watchers notify)
        : deps_(deps), loop_(std::move(loop)), notify_(std::move(notify))
    {}

    awaitable<protocol::ask_answer> ask(protocol::ask_request request) override;
    void cancel(protocol::cancel_at_request request) override;

private:
    struct round;
    awaitable<void> ask_one(std::shared_ptr<round> all, std::string instance);
    awaitable<void> cancel_one(protocol::cancel_at_request request);

    dependencies deps_;
    asio::any_io_executor loop_;
    watchers notify_;
};

} // namespace baton::trigger
