#include "libs/base/log.hpp"
#include "trigger/delivery/dispatcher.hpp"

namespace baton::trigger {

// Which clients can be called, and what follows from that for their executions.

void dispatcher::proved(std::string const& instance)
{
    auto* lane = deps_.lanes.find(instance);
    if (lane == nullptr)
        return;
    note_answer(instance);
    bool const news = !lane->reachable();
    lane->proved_at_address();
    show_reach(*lane);
    wake(instance);
    if (news && lane->reachable())
        became_reachable(*lane);
}

void dispatcher::answered(std::string const& instance)
{
    auto* lane = deps_.lanes.find(instance);
    if (lane == nullptr)
        return;
    note_answer(instance);
    bool const news = !lane->reachable();
    lane->answered();
    if (news && lane->reachable())
        became_reachable(*lane);
}

void dispatcher::became_reachable(client_lane& lane)
{
    auto const& instance = lane.who().instance;
    probes_.forget(instance);
    wake(instance);
    deps_.lanes.mark_changed(lane);
    deps_.report.capacity_changed();
    show_reach(lane);
}

void dispatcher::show_reach(client_lane const& lane, std::string const& cause)
{
    deps_.reach.found(lane.who(), lane.reach(deps_.time.now(), ttl_), cause);
}

// The client did not answer a call. Its executions that it certainly does not have go to others; the rest waits until
// it answers, or until a question is to settle it.
void dispatcher::failed(std::string const& instance, std::string const& why)
{
    auto* lane = deps_.lanes.find(instance);
    if (lane == nullptr)
        return;
    auto const now = deps_.time.now();
    bool const news = lane->reachable();
    lane->failed(now);
    show_reach(*lane, why);
    probes_.add_later(instance);
    if (news) {
        log::warn("delivery", "a client could not be called, it gets no work until it answers",
                  {log::reason(why), {"client", instance}, {"service", to_text(lane->who().service)}});
        deps_.lanes.mark_changed(*lane);
        deps_.report.capacity_changed();
    }
    give_back_old(*lane);
    place_elsewhere(*lane);
}

void dispatcher::question_failed(std::string const& instance, std::string const& why)
{
    failed(instance, why);
    question_waits(instance);
}

void dispatcher::question_answered(std::string const& instance)
{
    note_answer(instance);
    if (auto* lane = deps_.lanes.find(instance))
        lane->question_answered();
}

// When the client last answered, for the list of clients.
void dispatcher::note_answer(std::string const& instance)
{
    if (auto* client = deps_.clients.find(instance))
        client->answered_at = deps_.time.now();
}

std::optional<lane_figures> dispatcher::figures(std::string const& instance) const
{
    auto const* lane = deps_.lanes.find(instance);
    return lane == nullptr ? std::nullopt : std::optional(lane->figures(deps_.time.now()));
}

// Executions in doubt would wait for ever for a client that is heard but answers no question.
void dispatcher::question_waits(std::string const& instance)
{
    auto* lane = deps_.lanes.find(instance);
    if (lane == nullptr)
        return;
    lane->question_waits(deps_.time.now());
    if (lane->hopeless(deps_.time.now(), ttl_))
        deps_.clients.bury(instance, "it sent heartbeats but answered no question for its ttl");
}

} // namespace baton::trigger
