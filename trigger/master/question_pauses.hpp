#pragma once

#include "libs/base/time.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace baton::trigger {

// When a node may be asked again about executions in doubt. A question names up to thousands of executions, so a node
// whose clients do not answer is asked with pauses that double; a client that has come to it is asked at once. Pure.
class question_pauses {
public:
    // `arrival`: pending_clients::each_home.
    bool may_ask(std::string const& node, std::uint64_t arrival, instant now) const;
    // No client answered through this node, or the node did not answer.
    void silent(std::string const& node, std::uint64_t arrival, instant now);
    void answered(std::string const& node) { pauses_.erase(node); }

private:
    struct pause {
        duration length{};
        instant until{};
        std::uint64_t arrival = 0; // when it was silent
    };
    std::map<std::string, pause> pauses_;
};

} // namespace baton::trigger
