#pragma once
// For a client that cannot be called: fetches the calls of its home.

#include "client-sdk/src/node_calls.hpp"
#include "client-sdk/src/registration.hpp"
#include "client-sdk/src/routes.hpp"
#include "libs/protocol/fetch_wire.hpp"

#include <string>

namespace baton::client {

// Holds a request to the home, answers the calls that come with its answer as if they had been posted to the client,
// and repeats the answers until the home has them. On the loop only.
class fetcher {
public:
    fetcher(asio::any_io_executor loop, node_calls& calls, registration& member, routes const& answers)
        : calls_(calls), member_(member), routes_(answers), bell_(loop), told_bell_(std::move(loop))
    {}

    // For a client without an address. Until cancelled.
    awaitable<void> run();
    // For a client with an address: fetches after each told(), until no call is left. Until cancelled.
    awaitable<void> run_when_told();
    void told() { told_bell_.wake(); } // the home has calls, and cannot reach the address
    // The client has registered: a request to another home ends, and its late answer is ignored.
    void registered() { bell_.wake(); }

private:
    enum class outcome {
        answered,
        nothing, // an answer without calls, long before the end of the hold
        aborted, // the client has registered again meanwhile
        failed,
    };

    awaitable<outcome> fetch_once();
    std::string request_text();
    outcome refused(int status);
    awaitable<outcome> take(http::response const& answer, duration held);
    awaitable<void> answer_calls(protocol::fetch_answer envelope);

    node_calls& calls_;
    registration& member_;
    routes const& routes_;
    waker bell_;
    waker told_bell_;
    std::int64_t polls_ = 0;
    protocol::fetch_request answers_; // node, number and answers of the last envelope
    bool confirmed_ = true;           // the home has them
};

} // namespace baton::client
