#pragma once

#include "libs/base/id.hpp"
#include "libs/base/time.hpp"
#include "libs/http/client.hpp"
#include "libs/lease/lease_store.hpp"
#include "libs/protocol/node_wire.hpp"
#include "libs/storage/nodes.hpp"

#include <optional>
#include <string>

namespace baton::web {

// Tells the master of a committed row, so that it looks at once. The master also finds the row by itself within a
// second, so only speed depends on this. On the loop only.
class master_notifier {
public:
    struct limits {
        duration notify; // for a call
        duration cache;  // how long an address is used before the lock row is read again
    };

    master_notifier(time_source& time, lease::lease_store& lease, storage::database& shared, http::client& http,
                    limits given)
        : time_(time), lease_(lease), nodes_(shared), http_(http), limits_(given)
    {}

    // True when the master has taken the message. Throws nothing but cancellation.
    awaitable<bool> notify(protocol::signal_kind kind, signal_id id, std::int64_t subject);

private:
    struct place {
        http::url address;
        std::string secret;
    };

    awaitable<bool> send(protocol::signal_request const& signal);
    awaitable<std::optional<place>> find();
    awaitable<std::optional<place>> look_up();

    time_source& time_;
    lease::lease_store& lease_;
    storage::nodes nodes_;
    http::client& http_;
    limits limits_;
    std::optional<place> known_;
    std::optional<instant> known_at_;
};

} // namespace baton::web
