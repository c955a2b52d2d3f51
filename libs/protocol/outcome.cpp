#include "libs/protocol/outcome.hpp"

#include "libs/base/error.hpp"

#include <array>

namespace baton::protocol {

namespace {

constexpr std::array<std::string_view, 7> states{"planned", "running",   "retrying", "succeeded",
                                                 "failed",  "timed_out", "cancelled"};
constexpr std::array<std::string_view, 3> causes{"schedule", "manual", "shard"};

template <class Enum, std::size_t Size>
Enum parse(std::array<std::string_view, Size> const& names, std::string_view text, char const* field)
{
    for (std::size_t i = 0; i < Size; ++i)
        if (names[i] == text)
            return static_cast<Enum>(i);
    throw invalid_input(field, "unknown " + std::string(field) + " '" + std::string(text) + "'");
}

} // namespace

std::string_view to_string(state which)
{
    return states[static_cast<std::size_t>(which)];
}

state parse_state(std::string_view text)
{
    return parse<state>(states, text, "state");
}

std::string_view to_string(cause which)
{
    return causes[static_cast<std::size_t>(which)];
}

cause parse_cause(std::string_view text)
{
    return parse<cause>(causes, text, "cause");
}

state after_attempt(state ended, int attempt, int max_attempts, bool cancel_requested)
{
    if (ended != state::failed && ended != state::timed_out)
        return ended;
    if (cancel_requested)
        return state::cancelled;
    return attempt < max_attempts ? state::retrying : ended;
}

} // namespace baton::protocol
