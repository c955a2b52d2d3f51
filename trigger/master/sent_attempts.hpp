#pragma once

#include "libs/base/time.hpp"
#include "libs/protocol/client_wire.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace baton::trigger {

// The attempts that a master has handed to nodes without a mark in the ledger, by the time at which they were due, in
// slices of a tenth of a second: adding one costs no walk, and the earliest slice is taken as a whole. Attempts that
// have ended stay until then. Pure.
class sent_attempts {
public:
    void add(utc_time due, protocol::attempt_key which);

    struct slice {
        utc_time end; // nothing of the slice is due later
        std::vector<protocol::attempt_key> attempts;
    };
    // Removes the earliest slice, if it begins at or before `until`.
    std::optional<slice> take(utc_time until);
    bool empty() const { return slices_.empty(); }

private:
    std::map<std::int64_t, std::vector<protocol::attempt_key>> slices_;
};

} // namespace baton::trigger
