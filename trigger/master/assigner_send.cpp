#include "libs/base/log.hpp"
#include "libs/protocol/revision.hpp"
#include "trigger/master/assigner.hpp"

#include <algorithm>

namespace baton::trigger {

// The requests to nodes, and what follows from their answers.

namespace {

constexpr std::size_t most_bytes = 1u << 20; // of payloads in an assignment, unless a single one is larger
constexpr duration unreachable_pause = 1s;

std::vector<execution_id> executions_of(std::vector<protocol::attempt_key> const& keys)
{
    std::vector<execution_id> ids;
    ids.reserve(keys.size());
    for (auto const& key : keys)
        ids.push_back(key.execution);
    return ids;
}

} // namespace

// The node may have taken these before, whether or not this message arrives.
void assigner::repeat(std::string const& node, std::vector<execution_id> ids)
{
    hand_over(node, std::move(ids), true);
}

void assigner::hand_over(std::string const& node, std::vector<execution_id> ids, bool maybe_there)
{
    std::vector<execution_id> group;
    std::size_t bytes = 0;
    auto const send_off = [&] {
        if (node == deps_.node.nodes.self().incarnation)
            give_here(std::exchange(group, {}), maybe_there);
        else if (!group.empty())
            senders_.spawn("the assignment to a slave", send(node, std::exchange(group, {}), maybe_there));
        bytes = 0;
    };
    for (auto const id : ids) {
        auto const* one = scope_.open.find(id);
        if (one == nullptr)
            continue;
        auto const& payload = one->payload ? *one->payload : one->task->definition.payload;
        if (group.size() == settings_.group || (!group.empty() && bytes + payload.size() > most_bytes))
            send_off();
        group.push_back(id);
        bytes += payload.size();
    }
    send_off();
}

void assigner::give_here(std::vector<execution_id> ids, bool maybe_there)
{
    auto const& node = deps_.node.nodes.self().incarnation;
    auto const given = assigned_to(node, ids);
    trace(node, ids);
    auto request = make_request(node, given);
    auto const count = deps_.node.here.accept(std::move(request));
    if (!maybe_there)
        taken(node, given, count);
}

// Under a number of its own, which each execution notes.
protocol::assign_request assigner::make_request(std::string const& node,
                                                std::vector<protocol::attempt_key> const& given)
{
    protocol::assign_request request;
    request.term = scope_.term.id();
    request.master = deps_.node.nodes.self().incarnation;
    auto& mine = numbers_[node];
    request.number = mine.next++;
    request.open.assign(mine.open.begin(), mine.open.end());
    for (auto const& one : given) {
        auto& execution = *scope_.open.find(one.execution);
        execution.number = request.number;
        request.executions.push_back(make_assignment(execution));
    }
    return request;
}

std::vector<protocol::attempt_key> assigner::assigned_to(std::string const& node, std::vector<execution_id> const& ids)
{
    std::vector<protocol::attempt_key> out;
    out.reserve(ids.size());
    for (auto const id : ids)
        if (auto const* one = scope_.open.find(id);
            one != nullptr && one->phase == phase::assigned && one->where == node)
            out.push_back({id, one->attempt});
    return out;
}

// An answer may come after the node counted as gone and the execution went elsewhere as the next attempt.
bool assigner::still_assigned(std::string const& node, protocol::attempt_key const& which)
{
    auto const* one = scope_.open.find(which.execution);
    return one != nullptr && one->phase == phase::assigned && one->where == node && one->attempt == which.attempt;
}

// The slave took the first `count`, then its queue was full. The others wait a little and may go elsewhere.
void assigner::taken(std::string const& node, std::vector<protocol::attempt_key> const& given, std::size_t count)
{
    for (auto i = count; i < given.size(); ++i)
        if (still_assigned(node, given[i]))
            scope_.open.wait(*scope_.open.find(given[i].execution), scope_.term.clock.now() + full_pause);
}

void assigner::fire_again(std::string const& node, std::vector<protocol::attempt_key> const& given)
{
    for (auto const& one : given)
        if (still_assigned(node, one))
            scope_.open.wait(*scope_.open.find(one.execution), scope_.term.clock.now());
    scope_.due_changed.wake();
}

awaitable<void> assigner::send(std::string node, std::vector<execution_id> ids, bool maybe_there)
{
    auto given = assigned_to(node, ids);
    while (!deps_.node.nodes.gone(node)) {
        co_await scope_.term.until_active(assigning_need);
        auto const* row = deps_.node.nodes.find(node);
        given = assigned_to(node, ids);
        if (given.empty() || row == nullptr)
            co_return;
        trace(node, executions_of(given));
        auto request = make_request(node, given);
        auto const answer = co_await ask(*row, std::move(request), maybe_there);
        unstall(node);
        if (answer && answer->status == 200) {
            if (maybe_there) // it may take none now, having passed them on before
                co_return;
            taken(node, given,
                  static_cast<std::size_t>(http::parse_json(answer->body).get<protocol::assign_answer>().accepted));
            co_return;
        }
        if (answer && answer->status == 409) // if the lock row confirms it, this term is over
            deps_.node.epochs.refused_by(http::parse_json(answer->body).get<protocol::epoch_message>().term);
        if (answer)
            log::warn("assignment", "a node refused an assignment, avoiding the node for 1 s",
                      {{"node", node}, {"status", answer->status}});
        avoid_[node] = scope_.term.time.now() + unreachable_pause;
        if (!maybe_there)
            co_return fire_again(node, given);
        co_await scope_.term.time.sleep_for(settings_.retry_pause);
    }
    for (auto const& one : given)
        if (still_assigned(node, one))
            deps_.in_doubt.add(*scope_.open.find(one.execution), protocol::attempt_cause::node_gone);
}

std::int64_t assigner::next_number(std::string const& node) const
{
    auto const found = numbers_.find(node);
    return found == numbers_.end() ? 1 : found->second.next;
}

// The services that waited for an answer of this node.
void assigner::unstall(std::string const& node)
{
    if (auto const found = stalled_.find(node); found != stalled_.end()) {
        auto const services = std::move(found->second);
        stalled_.erase(found);
        for (auto const& service : services)
            released(service);
    }
}

// Sends one assignment. Nothing if there was no answer.
awaitable<std::optional<http::response>> assigner::ask(storage::node_record const& whom,
                                                       protocol::assign_request request, bool& maybe_there)
{
    auto const node = whom.incarnation;
    auto const number = request.number;
    numbers_[node].open.insert(number);
    auto message = http::text_request(http::verb::post, protocol::path_assign, to_text(request));
    message.headers.set("Authorization", "Bearer " + whom.secret);
    message.headers.set(protocol::revision_header, std::to_string(protocol::wire_revision));
    auto const to = http::parse_url(whom.address);
    std::optional<http::response> answer;
    try {
        answer = co_await deps_.node.http.send(to, std::move(message), settings_.assign_limit);
    } catch (http::unreachable const& failure) {
        maybe_there = maybe_there || failure.possibly_delivered();
        log::warn("assignment", "an assignment had no answer, avoiding the node for 1 s",
                  {log::reason(failure.what()), {"node", node}});
    }
    numbers_[node].open.erase(number);
    co_return answer;
}

} // namespace baton::trigger
