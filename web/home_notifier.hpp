#pragma once

#include "libs/http/client.hpp"
#include "libs/storage/nodes.hpp"
#include "web/node_failure.hpp"

#include <optional>
#include <string>

namespace baton::web {

// Whether the home of a client has been told that the client's row has changed.
struct home_notice {
    std::optional<node_failure> failure{}; // nothing: it has
    std::string why{};                     // for people: what failed, and when the home obeys the change
};

// Tells the home of a client that a person drains or resumes it, so that the home reads the row at once. The home also
// finds the change itself within two seconds, so only speed depends on this. On the loop only.
class home_notifier {
public:
    home_notifier(storage::database& shared, http::client& http, duration limit)
        : nodes_(shared), http_(http), limit_(limit)
    {}

    // `home`: an incarnation. Throws nothing but cancellation.
    awaitable<home_notice> notify(std::string home);

private:
    awaitable<home_notice> call(storage::node_record const& node);

    storage::nodes nodes_;
    http::client& http_;
    duration limit_; // for the call
};

// What becomes of a drain or a resume of which the home was not told, for people. `node`: its name, empty if it is not
// known; `cause`: of the failure, or empty. Pure.
std::string words_of(node_failure failure, std::string const& node, std::string const& cause);

} // namespace baton::web
