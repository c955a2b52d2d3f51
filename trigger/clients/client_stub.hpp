#pragma once

#include "libs/http/client.hpp"
#include "libs/protocol/client_wire.hpp"
#include "trigger/clients/client_calls.hpp"
#include "trigger/clients/client_line.hpp"
#include "trigger/clients/home_clients.hpp"
#include "trigger/election/epoch_claims.hpp"

#include <optional>
#include <string>

namespace baton::trigger {

// The ways to clients that have an address, and to those that fetch.
struct client_lines {
    client_line& push;
    client_line& fetch;
};

struct call_limits {
    duration call{};      // a call by the way of its client
    duration heartbeat{}; // between two heartbeats of a client, by which it learns that it is to fetch a call
};

// Calls to clients, each by the way of its client and within a time limit. All but the probe carry the client's secret
// to its address, so the caller makes them only while the address is proved; otherwise the client fetches them. If a
// client refuses a call because it knows a higher epoch, the claim goes to `epochs`. On the loop only.
class client_stub final : public client_calls {
public:
    client_stub(home_clients& clients, client_lines lines, call_limits limits, epoch_claims& epochs);

    awaitable<dispatch_outcome> dispatch(std::string instance, std::string text) override;
    awaitable<std::optional<protocol::query_answer>> ask(std::string instance, std::string text,
                                                         protocol::delivery_way way) override;
    awaitable<probe_outcome> probe(std::string instance) override;
    awaitable<void> cancel(std::string instance, protocol::executions_request request,
                           protocol::delivery_way way) override;
    awaitable<recall_outcome> recall(std::string instance, std::string text) override;

private:
    client_line& line_to(known_client const& client, protocol::delivery_way way);
    std::string named(std::string const& instance) const;
    duration limit_of(known_client const& client, protocol::delivery_way way) const;
    awaitable<std::optional<http::response>> post(std::string instance, char const* path, std::string text,
                                                  protocol::delivery_way way);

    home_clients& clients_;
    client_lines lines_;
    call_limits limits_;
    epoch_claims& epochs_;
};

} // namespace baton::trigger
