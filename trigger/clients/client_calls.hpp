#pragma once

#include "libs/base/asio.hpp"
#include "libs/protocol/client_wire.hpp"

#include <optional>
#include <string>

namespace baton::trigger {

// The calls of a home node to its clients, as the parts see them that decide when to call and what an answer means. On
// the loop only.
class client_calls {
public:
    struct dispatch_outcome {
        std::optional<protocol::dispatch_answer> answer;
        bool maybe_there = false; // without an answer: the group may have arrived
        bool too_large = false;   // the client refused its size, and took nothing
        std::string why{};        // the cause if there is no answer
    };
    // `text`: a dispatch_request.
    virtual awaitable<dispatch_outcome> dispatch(std::string instance, std::string text) = 0;

    // `text`: a query_request. Nothing if the client is gone, did not answer or refused. `way`: with `fetch` a client
    // that has an address is told to fetch the question, which takes until its next heartbeat if it does not watch its
    // home.
    virtual awaitable<std::optional<protocol::query_answer>> ask(std::string instance, std::string text,
                                                                 protocol::delivery_way way) = 0;

    // Has the client's address proved itself? The probe does not carry the secret.
    struct probe_outcome {
        std::string address;              // that was probed
        std::optional<std::string> wrong; // nothing if the client has proved itself there
    };
    virtual awaitable<probe_outcome> probe(std::string instance) = 0;

    // A hint, which may be lost.
    virtual awaitable<void> cancel(std::string instance, protocol::executions_request request,
                                   protocol::delivery_way way) = 0;

    // `text`: a recall_request. Without an answer the client may have given executions back all the same.
    struct recall_outcome {
        std::optional<protocol::recall_answer> answer;
        bool unknown = false; // the client does not know this call
    };
    virtual awaitable<recall_outcome> recall(std::string instance, std::string text) = 0;

protected:
    ~client_calls() = default;
};

} // namespace baton::trigger
