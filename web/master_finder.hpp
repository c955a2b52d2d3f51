#pragma once

#include "libs/base/time.hpp"
#include "libs/http/client.hpp"
#include "libs/lease/lease_store.hpp"
#include "libs/storage/nodes.hpp"

#include <optional>
#include <string>

namespace baton::web {

// The node that leads, with what a call to it needs. One reading of the lock row serves many calls. On the loop only.
class master_finder {
public:
    struct place {
        http::url address;
        std::string secret;
    };

    // `keep`: how long an address is used before the lock row is read again.
    master_finder(time_source& time, lease::lease_store& lease, storage::database& shared, duration keep)
        : time_(time), lease_(lease), nodes_(shared), keep_(keep)
    {}

    // Nothing if no node leads. While another call reads the row: the last known address, or nothing before the first
    // reading. Throws `unavailable`, and invalid_input if the address cannot be read.
    awaitable<std::optional<place>> find();
    // Another node may lead by now: a call has failed.
    void forget() { known_at_.reset(); }

private:
    awaitable<std::optional<place>> look_up();

    time_source& time_;
    lease::lease_store& lease_;
    storage::nodes nodes_;
    duration keep_;
    std::optional<place> known_;
    std::optional<instant> known_at_;
};

} // namespace baton::web
