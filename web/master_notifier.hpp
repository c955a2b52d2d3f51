#pragma once

#include "libs/base/id.hpp"
#include "libs/base/time.hpp"
#include "libs/http/client.hpp"
#include "libs/protocol/node_wire.hpp"
#include "web/master_finder.hpp"

namespace baton::web {

// Tells the master of a committed row, so that it looks at once. The master also finds the row by itself within a
// second, so only speed depends on this. On the loop only.
class master_notifier {
public:
    // `limit`: for a call.
    master_notifier(master_finder& finder, http::client& http, duration limit)
        : finder_(finder), http_(http), limit_(limit)
    {}

    // True when the master has taken the message. Throws nothing but cancellation.
    awaitable<bool> notify(protocol::signal_kind kind, signal_id id, std::int64_t subject);

private:
    awaitable<bool> send(protocol::signal_request const& signal);

    master_finder& finder_;
    http::client& http_;
    duration limit_;
};

} // namespace baton::web
