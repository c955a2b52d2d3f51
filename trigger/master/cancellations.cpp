#include "trigger/master/cancellations.hpp"

#include "libs/base/log.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {

constexpr std::size_t looked_at_in_a_step = 1'000;
constexpr std::size_t executions_of_a_call = 1'000;
constexpr std::size_t most_calls = 64;
constexpr std::size_t most_slow_calls = 16;
constexpr duration slow_answer = 250ms;
constexpr duration repeat_after = 2s;
constexpr duration remembered_slow = 10s;     // after its last call: longer than until the next repetition
constexpr duration look_for_requests = 200ms; // for those that the ledger shows

} // namespace

cancellations::cancellations(open_set& open, time_source& time, asio::any_io_executor loop, steps given)
    : open_(open),
      time_(time),
      steps_(std::move(given)),
      bell_(loop),
      quick_{most_calls},
      slow_{most_slow_calls},
      calls_(loop)
{}

void cancellations::request(std::vector<execution_id> const& ids)
{
    for (auto const id : ids)
        open_.request_cancel(id);
    bell_.wake();
}

awaitable<void> cancellations::run()
{
    begin_again();
    co_await calls_.around(work());
}

// After a failure, whose calls were cancelled: everything is looked at again.
void cancellations::begin_again()
{
    lanes_.clear();
    for (auto* some : {&quick_, &slow_}) {
        some->ready.clear();
        some->running = 0;
    }
    again_.clear();
    for (auto const id : followed_)
        again_.emplace(time_.now(), id);
}

awaitable<void> cancellations::work()
{
    for (;;) {
        step();
        auto const now = time_.now();
        auto next = now + look_for_requests;
        if (!again_.empty())
            next = std::min(next, again_.begin()->first);
        if (!fresh_.empty())
            next = now;
        co_await bell_.wait_until(time_, std::max(next, now + 1ms)); // other work of the loop comes in between
    }
}

void cancellations::step()
{
    auto const requests = open_.take_cancel_requests();
    fresh_.insert(fresh_.end(), requests.begin(), requests.end());
    auto const now = time_.now();
    auto left = looked_at_in_a_step;
    for (; left > 0 && !fresh_.empty(); --left) {
        auto const id = fresh_.front();
        fresh_.pop_front();
        if (followed_.insert(id).second)
            follow(id, now);
    }
    for (; left > 0 && !again_.empty() && again_.begin()->first <= now; --left) {
        auto const id = again_.begin()->second;
        again_.erase(again_.begin());
        follow(id, now);
    }
    forget_slow(now);
    start_calls(quick_);
    start_calls(slow_);
}

void cancellations::forget_slow(instant now)
{
    for (auto left = looked_at_in_a_step; left > 0 && !slow_until_.empty() && slow_until_.front().first <= now;
         --left) {
        auto const found = lanes_.find(slow_until_.front().second);
        slow_until_.pop_front();
        if (found != lanes_.end() && !found->second.busy && found->second.waiting.empty())
            lanes_.erase(found);
    }
}

void cancellations::follow(execution_id id, instant now)
{
    auto* one = open_.find(id);
    if (one == nullptr) {
        followed_.erase(id);
        return;
    }
    switch (one->phase) {
    case phase::assigned:
        return enqueue({true, one->where}, id);
    case phase::held:
    case phase::runs_earlier:
        steps_.stopping(*one);
        return enqueue({false, one->where}, id);
    case phase::waiting:
        steps_.end(*one);
        break;
    case phase::in_doubt: // its next attempt will not be opened
    case phase::opening:
    case phase::parent: // ends with its shards
        break;
    }
    look_again(id, now);
}

void cancellations::look_again(execution_id id, instant now)
{
    again_.emplace(now + repeat_after, id);
}

void cancellations::enqueue(target to, execution_id id)
{
    auto& its = lanes_[to];
    its.waiting.push_back(id);
    if (!its.busy && its.waiting.size() == 1)
        make_ready(to, its);
}

void cancellations::make_ready(target const& which, lane const& its)
{
    (its.slow ? slow_ : quick_).ready.push_back(which);
}

void cancellations::start_calls(calls_in_flight& some)
{
    while (some.running < some.most && !some.ready.empty()) {
        auto to = std::move(some.ready.front());
        some.ready.pop_front();
        call(std::move(to), some);
    }
}

void cancellations::call(target to, calls_in_flight& among)
{
    auto& its = lanes_.at(to);
    std::vector<protocol::attempt_key> keys;
    for (; keys.size() < executions_of_a_call && !its.waiting.empty(); its.waiting.pop_front()) {
        auto const id = its.waiting.front();
        auto const* one = open_.find(id);
        keys.push_back({id, one == nullptr ? 0 : one->attempt});
    }
    its.busy = true;
    ++among.running;
    calls_.spawn("the cancelling of executions", carry_out(std::move(to), std::move(keys), among));
}

awaitable<void> cancellations::carry_out(target to, std::vector<protocol::attempt_key> keys, calls_in_flight& among)
{
    auto const began = time_.now();
    try {
        co_await tell(to, keys);
    } catch (std::exception const& failure) { // the cancelling is repeated anyway
        log::debug("cancel", "telling a node or client to cancel failed, trying again in 2 s",
                   {log::reason(failure.what()), {"to", to.name}});
    }
    auto const now = time_.now();
    for (auto const& key : keys)
        look_again(key.execution, now);
    --among.running;
    auto& its = lanes_.at(to);
    its.busy = false;
    its.slow = now - began >= slow_answer;
    if (!its.waiting.empty())
        make_ready(to, its);
    else if (!its.slow)
        lanes_.erase(to);
    else
        slow_until_.emplace_back(now + remembered_slow, std::move(to));
    bell_.wake();
}

awaitable<void> cancellations::tell(target const& whom, std::vector<protocol::attempt_key> const& keys)
{
    std::vector<execution_id> ids;
    ids.reserve(keys.size());
    for (auto const& key : keys)
        ids.push_back(key.execution);
    if (!whom.node) {
        co_await steps_.tell_client(whom.name, ids);
        co_return;
    }
    auto const back = co_await steps_.withdraw(whom.name, ids);
    end_withdrawn(whom.name, keys, back);
}

// Each only if it is still where it was: while the node was asked it may have counted as gone, and the execution may
// have gone elsewhere.
void cancellations::end_withdrawn(std::string const& node, std::vector<protocol::attempt_key> const& keys,
                                  std::vector<execution_id> const& back)
{
    std::unordered_set<execution_id> const withdrawn(back.begin(), back.end());
    for (auto const& key : keys)
        if (auto* one = open_.find(key.execution); one != nullptr && withdrawn.contains(key.execution) &&
                                                   one->phase == phase::assigned && one->where == node &&
                                                   one->attempt == key.attempt)
            steps_.end(*one);
}

} // namespace baton::trigger
