#include "trigger/master/assigner.hpp"

#include "libs/base/log.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {

constexpr duration assigning_need = 100ms; // time that assigning a group may take
constexpr std::size_t at_once = 10'000;    // executions taken from the queue in one step
constexpr std::size_t worth_splitting = 64;
constexpr duration unreachable_pause = 1s;
constexpr duration full_pause = 50ms; // before a slave whose queue was full is asked again

std::vector<execution_id> executions_of(std::vector<protocol::attempt_key> const& keys)
{
    std::vector<execution_id> ids;
    ids.reserve(keys.size());
    for (auto const& key : keys)
        ids.push_back(key.execution);
    return ids;
}

} // namespace

assigner::assigner(dispatcher_settings settings, term_scope const& scope, dependencies deps)
    : settings_(settings), scope_(scope), deps_(deps), senders_(scope.loop)
{}

void assigner::may_fire_until(utc_time limit)
{
    limit_ = std::max(limit_, limit);
    scope_.due_changed.wake();
}

void assigner::trace(std::string const& node, std::vector<execution_id> const& executions)
{
    if (deps_.node.trace.kept())
        deps_.node.trace.assign(scope_.term.epoch(), node, executions);
}

awaitable<void> assigner::run()
{
    co_await senders_.around(fire());
}

awaitable<void> assigner::fire()
{
    for (;;) {
        co_await scope_.term.until_active(assigning_need);
        auto const now = std::min(scope_.term.clock.now(), limit_);
        distribute(scope_.open.take_due(now, at_once));
        auto const next = scope_.open.next_due();
        auto pause = duration{1s};
        if (next && *next <= limit_)
            pause = std::clamp(*next - scope_.term.clock.now(), duration{0}, pause);
        if (pause > duration::zero())
            co_await scope_.due_changed.wait_until(scope_.term.time, scope_.term.time.now() + pause);
    }
}

std::vector<std::string> assigner::carriers()
{
    std::vector<std::string> able;
    auto const now = scope_.term.time.now();
    std::erase_if(avoid_, [&](auto const& entry) { return entry.second <= now; });
    for (auto const& node : deps_.node.nodes.all())
        if (node.incarnation != deps_.node.nodes.self().incarnation && !node.draining &&
            deps_.node.nodes.alive(node.incarnation) && !avoid_.contains(node.incarnation) &&
            !deps_.in_doubt.suspects(node.incarnation))
            able.push_back(node.incarnation);
    if (!deps_.node.nodes.self().draining || able.empty())
        able.push_back(deps_.node.nodes.self().incarnation);
    return able;
}

void assigner::distribute(std::vector<execution_id> ids)
{
    std::vector<execution_id> broadcasts;
    std::erase_if(ids, [&](auto id) {
        auto const* one = scope_.open.find(id);
        bool const split = one != nullptr && one->broadcast();
        if (split)
            broadcasts.push_back(id);
        return split;
    });
    if (!broadcasts.empty())
        deps_.completions.broadcast(std::move(broadcasts));
    if (ids.empty())
        return;
    auto const able = carriers();
    // A few go to one node in one request, and the nodes take turns; many are spread evenly.
    auto const parts = ids.size() < worth_splitting ? 1 : able.size();
    auto const share = (ids.size() + parts - 1) / parts;
    for (std::size_t begin = 0; begin < ids.size(); begin += share) {
        auto const end = std::min(begin + share, ids.size());
        std::vector<execution_id> part(ids.begin() + static_cast<std::ptrdiff_t>(begin),
                                       ids.begin() + static_cast<std::ptrdiff_t>(end));
        give(able[turn_++ % able.size()], std::move(part));
    }
}

void assigner::give(std::string const& node, std::vector<execution_id> ids)
{
    for (auto const id : ids)
        if (auto* one = scope_.open.find(id))
            scope_.open.move(*one, phase::assigned, node);
    hand_over(node, std::move(ids), false);
}

// The node may have taken these before, whether or not this message arrives.
void assigner::repeat(std::string const& node, std::vector<execution_id> ids)
{
    hand_over(node, std::move(ids), true);
}

void assigner::hand_over(std::string const& node, std::vector<execution_id> ids, bool maybe_there)
{
    if (node == deps_.node.nodes.self().incarnation) {
        std::vector<protocol::assignment> batch;
        for (auto const id : ids)
            if (auto const* one = scope_.open.find(id))
                batch.push_back(make_assignment(*one));
        trace(node, ids);
        auto const given = assigned_to(node, ids);
        auto const count = deps_.node.here.accept(std::move(batch));
        if (!maybe_there)
            taken(node, given, count);
        return;
    }
    for (std::size_t begin = 0; begin < ids.size(); begin += settings_.group) {
        auto const end = std::min(begin + settings_.group, ids.size());
        std::vector<execution_id> part(ids.begin() + static_cast<std::ptrdiff_t>(begin),
                                       ids.begin() + static_cast<std::ptrdiff_t>(end));
        senders_.spawn("the assignment to a slave", send(node, std::move(part), maybe_there));
    }
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
        protocol::assign_request request;
        request.epoch = scope_.term.epoch();
        request.master = deps_.node.nodes.self().incarnation;
        for (auto const& one : given)
            request.executions.push_back(make_assignment(*scope_.open.find(one.execution)));
        trace(node, executions_of(given));
        auto const answer = co_await ask(*row, std::move(request), maybe_there);
        if (answer && answer->status == 200) {
            if (maybe_there) // it may take none now, having passed them on before
                co_return;
            taken(node, given,
                  static_cast<std::size_t>(http::parse_json(answer->body).get<protocol::assign_answer>().accepted));
            co_return;
        }
        if (answer && answer->status == 409) {
            deps_.node.epochs.learn(http::parse_json(answer->body).get<protocol::epoch_message>().epoch,
                                    "node " + node);
            co_return;
        }
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

// Sends one assignment under a number of its own. Nothing if there was no answer.
awaitable<std::optional<http::response>> assigner::ask(storage::node_record const& whom,
                                                       protocol::assign_request request, bool& maybe_there)
{
    auto const node = whom.incarnation;
    auto& mine = numbers_[node];
    request.number = mine.next++;
    request.open.assign(mine.open.begin(), mine.open.end());
    auto const number = request.number;
    mine.open.insert(number);
    auto message = http::text_request(http::verb::post, protocol::path_assign, to_text(request));
    message.headers.set("Authorization", "Bearer " + whom.secret);
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

awaitable<void> assigner::cancel_at_client(std::string instance, std::vector<execution_id> ids)
{
    protocol::executions_request request;
    request.epoch = scope_.term.epoch();
    request.executions = std::move(ids);
    co_await deps_.node.stub.cancel(std::move(instance), std::move(request));
}

awaitable<std::vector<execution_id>> assigner::withdraw(std::string node, std::vector<execution_id> ids)
{
    std::vector<execution_id> withdrawn;
    if (node == deps_.node.nodes.self().incarnation) {
        withdrawn = deps_.node.here.withdraw(ids);
    } else if (auto const* row = deps_.node.nodes.find(node)) {
        protocol::executions_request request;
        request.epoch = scope_.term.epoch();
        request.executions = std::move(ids);
        auto message = http::json_request(http::verb::post, protocol::path_stop, request);
        message.headers.set("Authorization", "Bearer " + row->secret);
        auto const to = http::parse_url(row->address);
        try {
            auto const answer = co_await deps_.node.http.send(to, std::move(message), settings_.assign_limit);
            if (answer.status == 200)
                withdrawn = http::parse_json(answer.body).get<protocol::executions_request>().executions;
        } catch (unavailable const&) {
            co_return std::vector<execution_id>{};
        }
    }
    co_return withdrawn;
}

} // namespace baton::trigger
