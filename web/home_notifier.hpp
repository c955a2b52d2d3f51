#pragma once

#include "libs/http/client.hpp"
#include "libs/storage/nodes.hpp"

#include <string>

namespace baton::web {

// Tells the home of a client that the client's row has changed, so that it reads the row at once. The home also finds
// the change itself within two seconds, so only speed depends on this. On the loop only.
class home_notifier {
public:
    home_notifier(storage::database& shared, http::client& http, duration limit)
        : nodes_(shared), http_(http), limit_(limit)
    {}

    // `home`: an incarnation. True when it has taken the message. Throws nothing but cancellation.
    awaitable<bool> notify(std::string home);

private:
    storage::nodes nodes_;
    http::client& http_;
    duration limit_; // for the call
};

} // namespace baton::web
