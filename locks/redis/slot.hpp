#pragma once
// The slots of a Redis cluster and the redirects of its nodes (Redis cluster specification). No I/O.

#include <optional>
#include <string>

namespace baton::lock {

inline constexpr unsigned redis_slots = 16'384;

unsigned slot_of(std::string const& key);

// "MOVED slot host:port": the slot is at that node. "ASK slot host:port": the slot is being migrated to that node, and
// the key is there already.
struct redis_redirect {
    bool for_good = false;
    std::string host; // empty: that of the node that redirects
    std::string port;
};

// Nothing if the error is no redirect.
std::optional<redis_redirect> redirect_of(std::string const& error);

} // namespace baton::lock
