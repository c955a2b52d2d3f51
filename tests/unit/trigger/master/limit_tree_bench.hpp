#pragma once

#include "trigger/master/limit_tree.hpp"

#include <initializer_list>
#include <string>
#include <vector>

// A tree of limits, and a clock that the test moves.
namespace limit_tree_test {

using namespace baton;
using protocol::blocker;
using protocol::rate_limit;
using trigger::limit_tree;
using stage = trigger::limit_tree::stage;

inline utc_time const noon = from_micros(1'700'000'000'000'000);
inline rate_limit const none;

using ids = std::vector<execution_id>;

inline ids numbers(std::initializer_list<int> all)
{
    ids out;
    for (auto const each : all)
        out.push_back(execution_id{each});
    return out;
}

inline protocol::scope_settings limited(std::string service, int concurrency, rate_limit rate = {})
{
    return {{"shop", std::move(service)}, 1, {{concurrency, rate}}};
}

struct bench {
    limit_tree tree;
    utc_time now = noon;

    bench() { tree.begin(noon - 24h, {}); }
    limit_tree::member member(int id, int task = 1, char const* service = "stock", rate_limit const& rate = none) const
    {
        return {execution_id{id}, task_id{task}, 1, rate, {"shop", service}, noon + id * 1us};
    }
    void enter(int id, int task = 1, char const* service = "stock", rate_limit const& rate = none)
    {
        tree.enter(member(id, task, service, rate), now);
    }
    ids wake() { return tree.wake(now, 1'000); }
    void start(int id) { tree.start(execution_id{id}, now); }
    ids wake_and_start()
    {
        auto const granted = wake();
        for (auto const id : granted)
            tree.start(id, now);
        return granted;
    }
    void end(int id) { tree.leave(execution_id{id}, now); }
    stage at(int id) const { return tree.at(execution_id{id}); }
};

} // namespace limit_tree_test
