#pragma once

#include "libs/base/id.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

namespace baton::trigger {

// Should an execution fail that these many clients refused for its size, of all that serve it? `told`: how often nodes
// have told of refusals, repetitions included. Something in front of one client may have a smaller limit than the
// others, but an execution must not wander for ever. Pure.
inline bool fails_for_size(std::size_t clients, std::size_t serving, int told)
{
    constexpr std::size_t enough_clients = 3;
    constexpr int enough_notices = 10;
    return clients >= std::clamp<std::size_t>(serving, 1, enough_clients) || told >= enough_notices;
}

// The clients that refused an execution for its size, as their homes told. Part of a term.
class size_refusals {
public:
    // Returns whether this attempt should fail. `serving`: clients that serve it.
    bool add(execution_id execution, int attempt, std::string const& client, std::size_t serving)
    {
        auto& mine = all_[execution];
        if (mine.attempt != attempt)
            mine = {attempt, 0, {}};
        ++mine.told;
        if (std::ranges::find(mine.clients, client) == mine.clients.end())
            mine.clients.push_back(client);
        return fails_for_size(mine.clients.size(), serving, mine.told);
    }
    bool has(execution_id execution, int attempt) const
    {
        auto const found = all_.find(execution);
        return found != all_.end() && found->second.attempt == attempt;
    }
    void forget(execution_id execution) { all_.erase(execution); }

private:
    struct refusals {
        int attempt = 0;
        int told = 0;
        std::vector<std::string> clients; // at most three
    };
    std::unordered_map<execution_id, refusals> all_;
};

} // namespace baton::trigger
