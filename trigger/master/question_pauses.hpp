#pragma once

#include "libs/base/time.hpp"

#include <map>
#include <string>
#include <vector>

namespace baton::trigger {

// When a node may be asked again about executions in doubt. A question names up to thousands of executions, so a node
// whose clients do not answer is asked with pauses that double; a client that has come to it is asked at once. Pure.
class question_pauses {
public:
    bool may_ask(std::string const& node, std::vector<std::string> const& instances, instant now) const;
    // None of these clients answered through this node, or the node did not answer.
    void silent(std::string const& node, std::vector<std::string> const& instances, instant now);
    void answered(std::string const& node) { pauses_.erase(node); }

private:
    struct pause {
        duration length{};
        instant until{};
        std::vector<std::string> asked{}; // sorted
    };
    std::map<std::string, pause> pauses_;
};

} // namespace baton::trigger
