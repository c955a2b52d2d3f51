#pragma once

#include "libs/http/client.hpp"
#include "libs/protocol/client_wire.hpp"
#include "trigger/clients/client_line.hpp"
#include "trigger/clients/registry.hpp"
#include "trigger/election/known_epoch.hpp"

#include <optional>
#include <string>

namespace baton::trigger {

// The ways to clients that have an address, and to those that fetch.
struct client_lines {
    client_line& push;
    client_line& fetch;
};

// Calls to clients, each by the way of its client and within a time limit. All but the probe carry the client's secret,
// so the caller makes them only while the address is proved. If a client refuses a call because it knows a higher
// epoch, the claim goes to `epochs`. On the loop only.
class client_stub {
public:
    client_stub(registry& clients, client_lines lines, duration limit, known_epoch& epochs);

    struct dispatch_outcome {
        std::optional<protocol::dispatch_answer> answer;
        bool maybe_there = false; // without an answer: the group may have arrived
        bool too_large = false;   // the client refused its size, and took nothing
        std::string why{};        // the cause if there is no answer
    };
    // `text`: a dispatch_request.
    awaitable<dispatch_outcome> dispatch(std::string instance, std::string text);

    // Nothing if the client is gone, did not answer or refused.
    awaitable<std::optional<protocol::query_answer>> ask(std::string instance, protocol::query_request request);

    // Has the client's address proved itself? The probe does not carry the secret.
    struct probe_outcome {
        std::string address;              // that was probed
        std::optional<std::string> wrong; // nothing if the client has proved itself there
    };
    awaitable<probe_outcome> probe(std::string instance);

    // A hint, which may be lost.
    awaitable<void> cancel(std::string instance, protocol::executions_request request);

private:
    client_line& line_to(known_client const& client) { return client.fetches() ? lines_.fetch : lines_.push; }
    awaitable<std::optional<http::response>> post(std::string instance, char const* path, std::string text);

    registry& clients_;
    client_lines lines_;
    duration limit_;
    known_epoch& epochs_;
};

} // namespace baton::trigger
