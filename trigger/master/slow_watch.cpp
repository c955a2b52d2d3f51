#include "trigger/master/slow_watch.hpp"

#include "libs/protocol/slowdown.hpp"

namespace baton::trigger {

namespace {

constexpr std::size_t most_noted = 2'000;
constexpr std::size_t most_listed = 1'000;
constexpr std::size_t at_a_time = 20;    // tasks, of 200 rows each
constexpr duration between_lists = 1min; // at those that are listed

} // namespace

void slow_watch::note(std::vector<task_id> const& tasks)
{
    for (auto const task : tasks)
        if (noted_.size() < most_noted)
            noted_.insert(task);
}

awaitable<void> slow_watch::turn()
{
    if (term_.time.now() >= list_at_) {
        auto const listed = co_await table_.listed(most_listed);
        noted_.insert(listed.begin(), listed.end());
        list_at_ = term_.time.now() + between_lists;
    }
    std::vector<task_id> tasks;
    while (!noted_.empty() && tasks.size() < at_a_time) {
        auto next = noted_.upper_bound(last_);
        if (next == noted_.end())
            next = noted_.begin();
        last_ = *next;
        noted_.erase(next);
        tasks.push_back(last_);
    }
    if (!tasks.empty())
        co_await judge(tasks);
}

awaitable<void> slow_watch::judge(std::vector<task_id> tasks)
{
    auto const times = co_await table_.latest(tasks);
    std::vector<storage::slow_task_row> slow;
    std::vector<task_id> others;
    for (auto const task : tasks) {
        auto const found = times.find(task);
        auto const summary = protocol::summarise(found == times.end() ? std::vector<duration>{} : found->second);
        if (summary.slow())
            slow.push_back({task, summary.earlier->median, summary.recent->median, term_.clock.now()});
        else
            others.push_back(task);
    }
    co_await table_.put(term_.fence, std::move(slow), std::move(others));
}

} // namespace baton::trigger
