#include "libs/protocol/offers.hpp"
#include "trigger/master/master.hpp"
#include "trigger/master/whereabouts.hpp"

namespace baton::trigger {

// The reports of nodes, and what follows from them for the executions.

namespace {
bool is_of_client(protocol::return_cause cause)
{
    return cause == protocol::return_cause::lost || cause == protocol::return_cause::given_back;
}
}

// Null if this attempt is not one that is assigned to a node.
open_execution* master::find_assigned(execution_id execution, int attempt)
{
    auto* found = open_.find(execution);
    bool const assigned = found != nullptr && found->attempt == attempt && found->phase == phase::assigned;
    return assigned ? found : nullptr;
}

// Null if this node has no say about it: it has returned it before, or another client has it.
open_execution* master::find_returned(protocol::undelivered const& one, std::string const& node)
{
    if (auto* found = find_assigned(one.execution, one.attempt))
        return found->where == node ? found : nullptr;
    auto* found = open_.find(one.execution);
    bool const held =
        found != nullptr && found->attempt == one.attempt && found->phase == phase::held && found->where == one.client;
    return held && is_of_client(one.cause) ? found : nullptr;
}

// An answer about it that says that the client has it may be on its way: see find_returned().
void master::correct_doubt(protocol::undelivered const& report)
{
    auto* const one = open_.find(report.execution);
    bool const doubted = one != nullptr && one->phase == phase::in_doubt && one->attempt == report.attempt;
    bool const assigned_since = doubted && report.number != 0 && one->number > report.number;
    if (!doubted || assigned_since || !is_of_client(report.cause))
        return;
    if (report.cause == protocol::return_cause::lost) {
        one->lost_by_client = true;
        one->doubted = report.client;
    } else {
        one->given_back = true;
    }
    in_doubt_.given_back(*one, report.client);
}

// Its client had taken it. Unless a client turns out to have it, that counts as a death, because its handler may have
// ended a process of the client.
void master::add_lost(open_execution& one, std::string const& client)
{
    one.lost_by_client = true;
    one.doubted = client;
    in_doubt_.add(one, protocol::attempt_cause::client_gone);
}

// Counts only if no later assignment has named it. Clients that were asked about the attempt and did not have it would
// not begin it any more, so another one goes out.
void master::given_back(open_execution& one, std::int64_t number)
{
    if (one.number > number)
        return;
    if (one.cancel_requested)
        return attempts_.cancel(one);
    if (stopped_.cancel_if_stopped(one))
        return;
    assigner_.given_back(one);
    if (one.asked_attempt == one.attempt)
        attempts_.open(one, scope_.term.clock.now(), protocol::attempt_cause::take_over);
}

unreported_runs::steps master::steps_of_unreported()
{
    return {[this](open_execution const& one, duration ran) { deadlines_.started(one.id, one.attempt, ran); },
            [this](open_execution& one) {
                auto const client = one.where;
                add_lost(one, client);
            }};
}

protocol::report_answer master::report(protocol::report_request const& report)
{
    bool const of_this_term = report.term == term_.id(); // assignments of an older term are void
    for (auto const& one : report.delivered) {
        auto* found = of_this_term ? find_assigned(one.execution, one.attempt) : nullptr;
        if (found == nullptr || (one.number != 0 && one.number < found->number))
            continue; // assigned again since: the client may have given it back
        if (one.holds == 0)
            open_.move(*found, phase::held, one.client);
        else
            in_doubt_.runs_earlier(*found, one.client, one.holds);
    }
    for (auto const& one : report.undelivered) {
        auto* found = of_this_term ? find_returned(one, report.node) : nullptr;
        if (found != nullptr)
            undelivered(one, report.node, *found);
        else if (of_this_term)
            correct_doubt(one);
    }
    for (auto const& one : report.finished) {
        tell_home(one, report.node);
        completions_.finished(one);
    }
    for (auto const& one : report.started) {
        if (auto* found = open_.find(one.execution); found != nullptr && found->attempt == one.attempt)
            found->out = true; // it is running in the ledger
        deadlines_.started(one.execution, one.attempt);
    }
    assigner_.hear(report.node, report.capacity);
    protocol::report_answer answer;
    answer.assigned = assigner_.next_number();
    answer.forgotten = credits_.times_forgotten(report.node);
    return answer;
}

void master::tell_home(protocol::finished const& what, std::string const& recorder)
{
    auto const* one = open_.find(what.execution);
    auto const* home = one != nullptr && one->attempt == what.attempt ? home_of(*one, clients_) : nullptr;
    if (home != nullptr && *home != recorder)
        far_ends_.add(*home, {what.execution, what.attempt});
}

std::vector<protocol::whereabouts> master::whereabouts(std::vector<execution_id> const& ids)
{
    return whereabouts_of(open_, ids);
}

std::size_t master::serving(open_execution const& one)
{
    auto const& task = one.task->definition;
    return clients_.serving(protocol::service_of(task), protocol::demand_for(task.handler, task.route.tag)).staying;
}

void master::undelivered(protocol::undelivered const& report, std::string const& node, open_execution& one)
{
    switch (report.cause) {
    case protocol::return_cause::no_room:
        return assigner_.returned(one, node, report.number, refusals_.has(one.id, one.attempt));
    case protocol::return_cause::impossible:
        if (report.client.empty() || refusals_.add(one.id, one.attempt, report.client, serving(one)))
            attempts_.fail(one, report.why);
        return; // otherwise the node returns it next
    case protocol::return_cause::client_gone:
        if (!one.shard_instance.empty())
            return attempts_.fail(one, report.why);
        return attempts_.client_died(one, protocol::attempt_cause::client_gone);
    case protocol::return_cause::in_doubt:
        one.doubted = report.client;
        return in_doubt_.add(one, protocol::attempt_cause::client_gone);
    case protocol::return_cause::given_back:
        return given_back(one, report.number);
    case protocol::return_cause::lost:
        return add_lost(one, report.client);
    }
}

} // namespace baton::trigger
