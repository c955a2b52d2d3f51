#pragma once

#include "libs/base/id.hpp"

#include <string>
#include <vector>

namespace baton::trigger {

// Repeats assignments. Part of a term.
class repeater {
public:
    // Assigns these to the same node again, which has not reported on them for a long time. It answers with what it
    // knows.
    virtual void repeat(std::string const& node, std::vector<execution_id> ids) = 0;

protected:
    ~repeater() = default;
};

} // namespace baton::trigger
