#pragma once
// A pause of a service or of a whole project: nothing of it is sent to a client.

#include "libs/base/time.hpp"
#include "libs/protocol/names.hpp"
#include "libs/protocol/service_key.hpp"

#include <optional>
#include <string>
#include <vector>

namespace baton::protocol {

// The treatment of firings that are due during a pause.
enum class paused_firings {
    hold, // they wait; at its end the misfire policies of their tasks decide
    skip, // they are skipped
};
template <>
inline constexpr std::array<std::string_view, 2> names_of<paused_firings>{"hold", "skip"};

struct pause {
    service_key of; // an empty service: the whole project
    paused_firings firings = paused_firings::hold;
    std::string reason;
    std::string begun_by; // a person or a program; may be empty
    utc_time since;
    std::optional<utc_time> ended_at{}; // none: in force
    std::string ended_by{};

    bool in_force() const { return !ended_at; }
    bool covers(utc_time at) const { return since <= at && (!ended_at || at < *ended_at); }
};

inline constexpr std::size_t longest_pause_reason = 200;
inline constexpr std::size_t longest_pause_author = 100;

// The one of these pauses that is of the service, or else of its project; null if there is none.
pause const* pause_of(std::vector<pause> const& all, service_view service);

// "service 'billing' is paused: deployment (by ann)"
std::string to_text(pause const& which);

} // namespace baton::protocol
