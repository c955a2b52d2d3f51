#pragma once
// What a client must know of a Redis cluster: which slot a key is in, and what a node says that does not have it (Redis
// cluster specification). No I/O.

#include <optional>
#include <string>

namespace baton::lock {

inline constexpr unsigned redis_slots = 16'384;

unsigned slot_of(std::string const& key);

// "MOVED slot host:port": the slot is there. "ASK slot host:port": it is on its way there, and this key is there
// already.
struct redis_redirect {
    bool for_good = false;
    std::string host; // empty: that of whoever says it
    std::string port;
};

// Nothing for an error that is no redirect.
std::optional<redis_redirect> redirect_of(std::string const& error);

} // namespace baton::lock
