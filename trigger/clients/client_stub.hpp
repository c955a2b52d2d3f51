#pragma once

#include "libs/http/client.hpp"
#include "libs/protocol/client_wire.hpp"
#include "trigger/clients/registry.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace baton::trigger {

// Called with an epoch that somebody has named, and who it was.
using epoch_watcher = std::function<void(std::int64_t epoch, std::string const& who)>;

// The caller's side of what a client answers: one request at its address with its secret, within a limit. A client that
// refuses because it knows a higher epoch is told of. On the loop only.
class client_stub {
public:
    client_stub(registry& clients, http::client& http, duration limit, epoch_watcher heard);

    // What came of a group.
    struct dispatch_outcome {
        std::optional<protocol::dispatch_answer> answer;
        bool maybe_there = false; // without an answer: the group may have arrived
        std::string why{};        // there is no answer
    };
    // `text`: a dispatch_request.
    awaitable<dispatch_outcome> dispatch(std::string instance, std::string text);

    // Nothing when the client is gone, did not answer or refused.
    awaitable<std::optional<protocol::query_answer>> ask(std::string instance, protocol::query_request request);

    // Hints, which may be lost.
    awaitable<void> cancel(std::string instance, protocol::executions_request request);
    awaitable<void> announce(std::string instance, std::int64_t epoch);

private:
    awaitable<std::optional<http::response>> post(std::string instance, char const* path, std::string text);
    awaitable<void> tell(std::string instance, char const* path, std::string text);
    void refused(std::string const& instance, http::response const& answer) const;

    registry& clients_;
    http::client& http_;
    duration limit_;
    epoch_watcher heard_;
};

} // namespace baton::trigger
