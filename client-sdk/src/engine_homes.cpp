#include "client-sdk/src/engine.hpp"

#include <algorithm>
#include <unordered_set>

namespace baton::client {

// The executions that homes take back, and the message about them to the next home.

namespace {
constexpr duration remembered_for_a_home = 1min; // what was given back: a client finds another home within seconds
constexpr std::size_t most_for_a_home = 10'000;
} // namespace

std::vector<protocol::attempt_key> engine::give_back(std::vector<execution_id> const& executions,
                                                     std::vector<int> const& attempts, instant now)
{
    std::vector<protocol::attempt_key> back;
    std::unordered_set<execution_id> taken;
    for (std::size_t i = 0; i < std::min(executions.size(), attempts.size()); ++i) {
        auto const execution = executions[i];
        auto const found = held_.find(execution);
        if (found == held_.end()) {
            auto const* ended = memory_.find(execution, now);
            if (ended != nullptr && ended->given_back && ended->attempt <= attempts[i])
                back.push_back({execution, ended->attempt});
            continue;
        }
        auto const attempt = found->second.work->work.attempt;
        if (found->second.started || attempt > attempts[i])
            continue;
        held_.erase(found);
        taken.insert(execution);
        auto mark = memory::ended::not_begun(attempt, now);
        mark.given_back = true;
        memory_.remember(execution, mark);
        back.push_back({execution, attempt});
        given_back_.emplace_back(now, back.back());
    }
    std::erase_if(queue_, [&](execution_id one) { return taken.contains(one); });
    if (given_back_.size() > most_for_a_home)
        given_back_.erase(given_back_.begin(), given_back_.end() - static_cast<std::ptrdiff_t>(most_for_a_home));
    return back;
}

std::vector<protocol::attempt_key> engine::given_back(instant now)
{
    while (!given_back_.empty() && now - given_back_.front().first > remembered_for_a_home)
        given_back_.pop_front();
    std::vector<protocol::attempt_key> all;
    for (auto const& [at, which] : given_back_) {
        auto const* ended = memory_.find(which.execution, now);
        bool const still = ended != nullptr && ended->given_back && ended->attempt == which.attempt && ended->at == at;
        if (still && !held_.contains(which.execution))
            all.push_back(which);
    }
    return all;
}

std::vector<protocol::attempt_key> engine::attempts(std::size_t most) const
{
    std::vector<protocol::attempt_key> all;
    auto const add = [&](execution_id one) {
        if (auto const found = held_.find(one); found != held_.end() && all.size() < most)
            all.push_back({one, found->second.work->work.attempt});
    };
    std::ranges::for_each(running_, add);
    std::ranges::for_each(queue_, add);
    return all;
}

} // namespace baton::client
