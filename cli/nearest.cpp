#include "cli/nearest.hpp"

#include <algorithm>

namespace baton::cli {

namespace {

std::size_t edits(std::string const& left, std::string const& right)
{
    std::vector<std::vector<std::size_t>> cost(left.size() + 1, std::vector<std::size_t>(right.size() + 1));
    for (std::size_t i = 0; i <= left.size(); ++i)
        for (std::size_t j = 0; j <= right.size(); ++j) {
            if (i == 0 || j == 0) {
                cost[i][j] = i + j;
                continue;
            }
            auto const replaced = cost[i - 1][j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
            cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
            if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1])
                cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
        }
    return cost[left.size()][right.size()];
}

} // namespace

std::optional<std::string> nearest(std::string const& word, std::vector<std::string> const& candidates)
{
    auto best = std::max<std::size_t>(2, word.size() / 3) + 1;
    std::optional<std::string> found;
    for (auto const& each : candidates)
        if (auto const distance = edits(word, each); distance < best && distance < each.size()) {
            best = distance;
            found = each;
        }
    return found;
}

} // namespace baton::cli
