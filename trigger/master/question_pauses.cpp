#include "trigger/master/question_pauses.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {
constexpr duration first_pause = 200ms;
constexpr duration longest_pause = 2s;
}

bool question_pauses::may_ask(std::string const& node, std::vector<std::string> const& instances, instant now) const
{
    auto const found = pauses_.find(node);
    if (found == pauses_.end() || now >= found->second.until)
        return true;
    auto const& asked = found->second.asked;
    return !std::all_of(instances.begin(), instances.end(),
                        [&](std::string const& one) { return std::binary_search(asked.begin(), asked.end(), one); });
}

void question_pauses::silent(std::string const& node, std::vector<std::string> const& instances, instant now)
{
    auto& present = pauses_[node];
    present.length = present.length == duration{} ? first_pause : std::min(present.length * 2, longest_pause);
    present.until = now + present.length;
    present.asked = instances;
    std::sort(present.asked.begin(), present.asked.end());
}

} // namespace baton::trigger
