#pragma once

#include "libs/http/client.hpp"
#include "libs/protocol/client_wire.hpp"
#include "trigger/clients/registry.hpp"
#include "trigger/election/known_epoch.hpp"

#include <optional>
#include <string>

namespace baton::trigger {

// Calls to clients: one request to the client's address, with its secret, within a time limit. If a client refuses a
// call because it knows a higher epoch, the claim goes to `epochs`. On the loop only.
class client_stub {
public:
    client_stub(registry& clients, http::client& http, duration limit, known_epoch& epochs);

    struct dispatch_outcome {
        std::optional<protocol::dispatch_answer> answer;
        bool maybe_there = false; // without an answer: the group may have arrived
        std::string why{};        // the cause if there is no answer
    };
    // `text`: a dispatch_request.
    awaitable<dispatch_outcome> dispatch(std::string instance, std::string text);

    // Nothing if the client is gone, did not answer or refused.
    awaitable<std::optional<protocol::query_answer>> ask(std::string instance, protocol::query_request request);

    // Hints, which may be lost.
    awaitable<void> cancel(std::string instance, protocol::executions_request request);
    awaitable<void> announce(std::string instance, std::int64_t epoch);

private:
    awaitable<std::optional<http::response>> post(std::string instance, char const* path, std::string text);
    awaitable<void> send_hint(std::string instance, char const* path, std::string text);

    registry& clients_;
    http::client& http_;
    duration limit_;
    known_epoch& epochs_;
};

} // namespace baton::trigger
