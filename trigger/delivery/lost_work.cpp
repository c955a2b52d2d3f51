#include "trigger/delivery/lost_work.hpp"

#include "libs/base/log.hpp"

#include <nlohmann/json.hpp>

#include <unordered_map>
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

// One that has ended takes no slot. Another node may have recorded its result, or that is still on its way: the master
// finds out.
void lost_work::settle(client_lane& lane, std::vector<protocol::attempt_key> const& doubtful,
                       std::vector<protocol::held_execution> const& held)
{
    std::unordered_map<execution_id, bool> finished; // of those that it knows
    for (auto const& one : held)
        finished[one.execution] = one.finished;
    auto const& instance = lane.who().instance;
    std::size_t lost = 0;
    for (auto const& which : doubtful) {
        auto const known = finished.find(which.execution);
        bool const runs = known != finished.end() && !known->second;
        if (runs || !lane.holds(which))
            continue;
        deps_.clients.lost(lane, which.execution);
        deps_.report.undelivered({which.execution, which.attempt, protocol::return_cause::lost, instance,
                                  "its client had taken it and does not run it any more"});
        lane.found_lost();
        lost += known == finished.end() ? 1 : 0;
    }
    if (lost != 0)
        log::warn("delivery", "a client has lost executions that it had taken, they go out as the next attempt",
                  {{"client", instance}, {"service", to_text(lane.who().service)}, {"executions", lost}});
}

} // namespace baton::trigger
