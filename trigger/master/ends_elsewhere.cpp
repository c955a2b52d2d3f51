#include "trigger/master/ends_elsewhere.hpp"

#include "libs/base/error.hpp"
#include "libs/base/log.hpp"
#include "trigger/master/credits.hpp"

#include <algorithm>
#include <vector>

namespace baton::trigger {

namespace {
constexpr std::size_t far_ends_of_a_home = 10'000; // the oldest are dropped: they are hints
constexpr std::size_t far_ends_at_once = 1'000;
constexpr duration far_ends_gathered_for = 5ms;
} // namespace

std::string const* home_of(open_execution const& one, client_directory const& clients)
{
    if (one.phase == phase::assigned)
        return &one.where;
    if (one.phase != phase::held)
        return nullptr;
    if (auto const* client = clients.find(one.where))
        return client->home;
    return one.credit == nullptr ? nullptr : one.credit->node;
}

void ends_elsewhere::add(std::string const& home, protocol::attempt_key const& which)
{
    auto const [found, made] = waiting_.try_emplace(home);
    if (found->second.size() == far_ends_of_a_home)
        found->second.pop_front();
    found->second.push_back(which);
    if (!made)
        return;
    fresh_.push_back(home);
    bell_.wake();
}

awaitable<void> ends_elsewhere::run()
{
    fresh_.clear();
    for (auto const& [home, ends] : waiting_) // whose calls were cancelled
        fresh_.push_back(home);
    co_await group_.around(work());
}

awaitable<void> ends_elsewhere::work()
{
    for (;;) {
        for (; !fresh_.empty(); fresh_.pop_front())
            group_.spawn("telling a home of results that other nodes recorded", tell(fresh_.front()));
        co_await bell_.wait();
    }
}

awaitable<void> ends_elsewhere::tell(std::string home)
{
    auto const at = waiting_.find(home);
    while (!at->second.empty()) {
        co_await time_.sleep_for(far_ends_gathered_for);
        auto const end =
            at->second.begin() + static_cast<std::ptrdiff_t>(std::min(at->second.size(), far_ends_at_once));
        std::vector<protocol::attempt_key> some(at->second.begin(), end);
        at->second.erase(at->second.begin(), end);
        try {
            co_await calls_.ended(home, std::move(some));
        } catch (invalid_input const& wrong) {
            log::warn("term", "a node's address is invalid, so it is not told of results that other nodes recorded",
                      {log::reason(wrong.what()), {"node", home}});
        }
    }
    waiting_.erase(at);
}

} // namespace baton::trigger
