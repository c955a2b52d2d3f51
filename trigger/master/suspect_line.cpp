#include "trigger/master/suspect_line.hpp"

namespace baton::trigger {

namespace {
constexpr duration watched = 60s;        // at its client; one that kills its process later may meet the next one there
constexpr duration longest_turn = 10min; // for one that no client takes
constexpr duration between_looks = 20ms;
}

void suspect_turns::join(open_execution& one)
{
    open_.move(one, phase::waiting);
    one.queued_at = utc_time::max(); // in no queue, so that an older entry of the queue does not count
    auto& service = protocol::value_of(lines_, protocol::service_of(one.task->definition));
    service.waiting.emplace(one.delayed_until, one.id);
    if (service.out == one.id) // its turn ended without its client's death, for example with that of a node
        service.out.reset();
}

bool suspect_turns::advance(instant at)
{
    bool any = false;
    for (auto each = lines_.begin(); each != lines_.end();) {
        auto& service = each->second;
        if (service.out && is_over(service, at))
            service.out.reset();
        any = (!service.out && release(service, at)) || any;
        each = service.out || !service.waiting.empty() ? std::next(each) : lines_.erase(each);
    }
    return any;
}

bool suspect_turns::is_over(line const& service, instant at) const
{
    auto const* one = open_.find(*service.out);
    if (one == nullptr || !one->suspect())
        return true;
    return (one->at_client() && at - one->since >= watched) || at - service.out_since >= longest_turn;
}

bool suspect_turns::release(line& service, instant at)
{
    while (!service.waiting.empty() && service.waiting.begin()->first <= at) {
        auto const id = service.waiting.begin()->second;
        service.waiting.erase(service.waiting.begin());
        auto* one = open_.find(id);
        bool const waits = one != nullptr && one->phase == phase::waiting && one->queued_at == utc_time::max();
        if (!waits)
            continue; // it has ended, or is being cancelled
        open_.wait_for(*one, at);
        service.out = id;
        service.out_since = at;
        return true;
    }
    return false;
}

void suspect_line::join(open_execution& one)
{
    turns_.join(one);
    bell_.wake();
}

awaitable<void> suspect_line::run()
{
    for (;;) {
        if (turns_.advance(scope_.term.time.now()))
            scope_.due_changed.wake();
        if (turns_.empty())
            co_await bell_.wait();
        else
            co_await scope_.term.time.sleep_for(between_looks);
    }
}

} // namespace baton::trigger
