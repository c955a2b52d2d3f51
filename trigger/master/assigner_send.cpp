#include "trigger/master/assigner.hpp"
#include "trigger/master/until_done.hpp"

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
    bool const here = node == deps_.nodes.self().incarnation;
    std::erase_if(ids, [this](execution_id id) { return scope_.open.find(id) == nullptr; });
    std::vector<std::size_t> sizes;
    sizes.reserve(ids.size());
    for (auto const id : ids) {
        auto const& one = *scope_.open.find(id);
        sizes.push_back((one.payload ? *one.payload : one.task->definition.payload).size());
    }
    auto begin = ids.cbegin();
    for (auto const end : cut(sizes, settings_.group, most_bytes)) {
        std::vector<execution_id> group(begin, ids.cbegin() + static_cast<std::ptrdiff_t>(end));
        begin += static_cast<std::ptrdiff_t>(group.size());
        if (here)
            give_here(std::move(group), maybe_there);
        else
            spawn(node, std::move(group), maybe_there);
    }
}

void assigner::spawn(std::string const& node, std::vector<execution_id> ids, bool maybe_there)
{
    constexpr auto name = "the assignment to a slave";
    auto step = [this, node, ids = std::move(ids), maybe_there]() mutable {
        auto const was_there = std::exchange(maybe_there, true); // after a failure the node may have them
        return send(node, ids, was_there);
    };
    senders_.spawn(name, until_done(scope_.term, name, std::move(step)));
}

void assigner::give_here(std::vector<execution_id> ids, bool maybe_there)
{
    auto const& node = deps_.nodes.self().incarnation;
    auto const given = assigned_to(node, ids);
    trace(node, ids);
    auto request = make_request(node, given);
    auto const count = deps_.here.accept(std::move(request));
    if (!maybe_there)
        taken(node, given, count);
}

// Under a number of its own, which each execution notes.
protocol::assign_request assigner::make_request(std::string const& node,
                                                std::vector<protocol::attempt_key> const& given)
{
    protocol::assign_request request;
    request.term = scope_.term.id();
    request.master = deps_.nodes.self().incarnation;
    auto numbering = traffic_.number(node);
    request.number = numbering.number;
    request.open = std::move(numbering.open);
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
            come_back(given[i].execution, full_pause);
    if (count < given.size())
        scope_.due_changed.wake();
}

// The node has not taken it.
void assigner::come_back(execution_id id, duration pause)
{
    auto& one = *scope_.open.find(id);
    deps_.late.returned(one);
    scope_.open.wait_for(one, scope_.term.time.now() + pause);
}

void assigner::fire_again(std::string const& node, std::vector<protocol::attempt_key> const& given)
{
    for (auto const& one : given)
        if (still_assigned(node, one))
            come_back(one.execution, 0s);
    scope_.due_changed.wake();
}

awaitable<void> assigner::send(std::string node, std::vector<execution_id> ids, bool maybe_there)
{
    auto given = assigned_to(node, ids);
    while (!deps_.nodes.gone(node)) {
        co_await scope_.term.until_active(assigning_need);
        given = assigned_to(node, ids);
        if (given.empty() || deps_.nodes.find(node) == nullptr)
            co_return;
        trace(node, executions_of(given));
        auto const request = make_request(node, given);
        auto text = to_text(request);
        traffic_.began(node, request.number);
        std::shared_ptr<void> ended(nullptr, [&](void*) { traffic_.ended(node, request.number); });
        auto const outcome = co_await deps_.calls.assign(node, std::move(text));
        ended.reset();
        maybe_there = maybe_there || outcome.maybe_there;
        auto const end = end_of(outcome.status, maybe_there);
        settle(node, given, outcome.accepted, end);
        if (end != assignment_end::repeat)
            co_return;
        co_await scope_.term.time.sleep_for(settings_.retry_pause);
    }
    for (auto const& one : given)
        if (still_assigned(node, one))
            deps_.in_doubt.add(*scope_.open.find(one.execution), protocol::attempt_cause::node_gone);
}

void assigner::settle(std::string const& node, std::vector<protocol::attempt_key> const& given, std::size_t accepted,
                      assignment_end end)
{
    for (auto const& service : traffic_.unstall(node))
        released(service);
    if (end == assignment_end::taken)
        taken(node, given, accepted);
    if (end == assignment_end::taken || end == assignment_end::passed_on)
        return;
    traffic_.avoid(node, scope_.term.time.now() + unreachable_pause);
    if (end == assignment_end::elsewhere)
        fire_again(node, given);
}

} // namespace baton::trigger
