#pragma once
// Sends the engine's reports to the nodes.

#include "client-sdk/src/engine.hpp"
#include "client-sdk/src/node_calls.hpp"
#include "client-sdk/src/registration.hpp"
#include "libs/base/task_group.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace baton::client {

// On the loop only.
class result_sender {
public:
    // `recorded` is called after each acknowledgement.
    result_sender(asio::any_io_executor loop, node_calls& calls, engine& state, registration const& member,
                  std::function<void()> recorded);

    // Sends at once when idle; reports that gather during a send go out in the next message, or beside it when they
    // fill one. Moves on to the next node when one fails, with a longer pause after each full round. Until cancelled.
    awaitable<void> run();
    void wake() { bell_.wake(); } // the engine may have something to report
    // The home has answered a heartbeat: results go to it again, if a failed message has sent them elsewhere.
    void home_answers() { route_.home_is_back = route_.node != member_.home(); }

private:
    struct route {
        std::size_t node = 0;
        std::size_t home = 0; // when `node` was last set to it
        bool home_is_back = false;
        int turn = 0;          // rises with each change of node
        int failures = 0;      // consecutive failed turns
        instant quiet_until{}; // the end of the pause
    };

    bool may_send() const;
    void go_home();
    awaitable<void> feed();
    awaitable<void> send(std::vector<protocol::result_report> batch);
    void ended(int turn, bool answered);
    bool settle(std::vector<protocol::result_report> const& batch, std::optional<http::response> const& answer);

    node_calls& calls_;
    engine& engine_;
    registration const& member_;
    std::function<void()> recorded_;
    waker bell_;
    task_group senders_;
    route route_;
    int on_way_ = 0; // messages
};

} // namespace baton::client
