#include "trigger/delivery/lost_work.hpp"

#include "libs/base/log.hpp"

#include <nlohmann/json.hpp>

#include <unordered_set>
#include <utility>

namespace baton::trigger {

void lost_work::look_at(client_lane& lane)
{
    if (!lane.proved()) // a question carries the client's secret
        return;
    if (auto doubtful = lane.take_doubtful(deps_.time.now()); !doubtful.empty())
        deps_.background.spawn("a question about lost work", ask(lane.who().instance, std::move(doubtful)));
}

awaitable<void> lost_work::ask(std::string instance, std::vector<protocol::attempt_key> doubtful)
{
    auto const term = deps_.right.term();
    protocol::query_request question;
    question.term = term;
    for (auto const& which : doubtful) {
        question.executions.push_back(which.execution);
        question.attempts.push_back(which.attempt);
    }
    auto text = nlohmann::json(question).dump();
    auto const answer = co_await deps_.calls.ask(instance, std::move(text), protocol::delivery_way::push);
    auto* const lane = deps_.clients.find(instance);
    if (answer && lane != nullptr && term == deps_.right.term())
        settle(*lane, doubtful, answer->held);
}

// One that has ended takes no slot, but its result may still be on its way: the master asks again.
void lost_work::settle(client_lane& lane, std::vector<protocol::attempt_key> const& doubtful,
                       std::vector<protocol::held_execution> const& held)
{
    std::unordered_set<execution_id> running;
    for (auto const& one : held)
        if (!one.finished)
            running.insert(one.execution);
    auto const& instance = lane.who().instance;
    std::size_t lost = 0;
    for (auto const& which : doubtful) {
        if (running.contains(which.execution) || !lane.holds(which))
            continue;
        deps_.clients.lost(lane, which.execution);
        deps_.report.undelivered({which.execution, which.attempt, protocol::return_cause::in_doubt, instance,
                                  "its client had taken it and does not run it any more"});
        ++lost;
    }
    if (lost == 0)
        return;
    lane.found_lost();
    log::warn("delivery", "a client does not run executions that it had taken and whose results it has not sent",
              {{"client", instance}, {"service", to_text(lane.who().service)}, {"executions", lost}});
}

} // namespace baton::trigger
