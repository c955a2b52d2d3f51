#pragma once

#include "libs/base/time.hpp"
#include "libs/http/client.hpp"
#include "libs/protocol/whereabouts_wire.hpp"
#include "web/master_finder.hpp"

#include <map>
#include <vector>

namespace baton::web {

// Asks the master where open executions are: with a node, with a client, or in doubt. On the loop only.
class execution_places {
public:
    using places = std::map<execution_id, protocol::whereabouts>;

    execution_places(master_finder& finder, http::client& http) : finder_(finder), http_(http) {}

    // Those that wait for a client with room are left out. Empty as well if the master does not answer in time, or if
    // many other requests ask it. Throws nothing but cancellation.
    awaitable<places> of(std::vector<execution_id> ids);

private:
    awaitable<places> ask(std::vector<execution_id> ids);

    master_finder& finder_;
    http::client& http_;
    int asking_ = 0;
};

} // namespace baton::web
