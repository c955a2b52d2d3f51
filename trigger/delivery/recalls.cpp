#include "trigger/delivery/recalls.hpp"

#include "libs/base/log.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <unordered_map>

namespace baton::trigger {

void recalls::look_at(client_lane& lane)
{
    // From then on a later assignment has a higher number than this node knows.
    auto const since = lane.told_at();
    bool const settled = since && deps_.report.next_assignment() != 0 && deps_.report.asked_at() > *since;
    if (auto which = lane.take_recall(deps_.time.now(), settled); !which.empty())
        deps_.background.spawn("a recall", ask(lane.who().instance, std::move(which)));
}

awaitable<void> recalls::ask(std::string instance, std::vector<protocol::attempt_key> which)
{
    auto const term = deps_.right.term();
    protocol::recall_request request;
    request.term = term;
    request.node = deps_.right.self();
    request.number = steps_.number();
    for (auto const& one : which) {
        request.executions.push_back(one.execution);
        request.attempts.push_back(one.attempt);
    }
    auto text = nlohmann::json(request).dump();
    auto const outcome = co_await deps_.calls.recall(instance, std::move(text));
    auto* const lane = deps_.clients.find(instance);
    if (lane == nullptr)
        co_return;
    settle(*lane, term, which, outcome);
    deps_.clients.watch(*lane, deps_.time.now());
    steps_.on(instance);
}

// Only what was asked for counts.
void recalls::settle(client_lane& lane, protocol::term_id term, std::vector<protocol::attempt_key> const& asked,
                     client_calls::recall_outcome const& outcome)
{
    using recalled = client_lane::recalled;
    auto const now = deps_.time.now();
    if (!outcome.answer) {
        if (outcome.unknown)
            log::info("delivery", "a client does not know the recall, so what it has taken waits for its slots",
                      {{"client", lane.who().instance}, {"service", to_text(lane.who().service)}});
        return lane.recall_ended(outcome.unknown ? recalled::unknown_call : recalled::no_answer, now);
    }
    std::unordered_map<execution_id, int> attempts;
    for (auto const& one : asked)
        attempts[one.execution] = one.attempt;
    auto back = outcome.answer->given_back;
    std::erase_if(back, [&](protocol::attempt_key const& one) {
        auto const found = attempts.find(one.execution);
        return found == attempts.end() || one.attempt > found->second;
    });
    lane.recall_ended(back.empty() ? recalled::nothing : recalled::gave_back, now);
    for (auto const& one : back) {
        if (lane.holds(one))
            deps_.clients.lost(lane, one.execution);
        if (term == deps_.right.term()) // otherwise the new master asks the client
            give_back(lane.who().instance, one);
    }
}

void recalls::give_back(std::string const& instance, protocol::attempt_key const& which)
{
    auto const number = std::max(deps_.known.highest(), deps_.report.next_assignment() - 1);
    auto const* known = deps_.known.find(which.execution);
    bool const elsewhere = known != nullptr && (known->attempt > which.attempt || known->fate == fate::waiting ||
                                                (known->fate == fate::delivered && known->client != instance));
    if (elsewhere) // it was assigned again since
        return;
    deps_.known.set(which.execution, {which.attempt, fate::returned, {}, 0, number});
    deps_.report.undelivered({which.execution, which.attempt, protocol::return_cause::given_back, instance,
                              "its client has given it back", number});
}

} // namespace baton::trigger
