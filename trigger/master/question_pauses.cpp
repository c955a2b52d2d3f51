#include "trigger/master/question_pauses.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {
constexpr duration first_pause = 200ms;
constexpr duration longest_question_pause = 2s;
}

bool question_pauses::may_ask(std::string const& node, std::uint64_t arrival, instant now) const
{
    auto const found = pauses_.find(node);
    return found == pauses_.end() || now >= found->second.until || arrival != found->second.arrival;
}

void question_pauses::silent(std::string const& node, std::uint64_t arrival, instant now)
{
    auto& present = pauses_[node];
    present.length = present.length == duration{} ? first_pause : std::min(present.length * 2, longest_question_pause);
    present.until = now + present.length;
    present.arrival = arrival;
}

} // namespace baton::trigger
