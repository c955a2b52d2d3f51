#pragma once

#include "libs/base/id.hpp"

#include <vector>

namespace baton::test {

inline std::vector<execution_id> ids(std::vector<int> const& numbers)
{
    std::vector<execution_id> out;
    for (auto const number : numbers)
        out.emplace_back(number);
    return out;
}

} // namespace baton::test
