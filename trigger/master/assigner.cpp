#include "trigger/master/assigner.hpp"

#include "libs/base/log.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {

constexpr duration handover_need = 100ms; // that giving a group away may take
constexpr std::size_t at_once = 10'000;   // taken from the queue in one go
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

assigner::assigner(dispatcher_settings settings, term& term, open_set& open, membership const& nodes, carrier& here,
                   client_stub& clients, http::client& http, asio::any_io_executor loop, watchers to)
    : settings_(settings),
      term_(term),
      open_(open),
      nodes_(nodes),
      here_(here),
      clients_(clients),
      http_(http),
      to_(std::move(to)),
      suspect_(term.replaced),
      bell_(loop),
      senders_(loop)
{}

void assigner::may_fire_until(utc_time limit)
{
    limit_ = std::max(limit_, limit);
    bell_.wake();
}

awaitable<void> assigner::run()
{
    co_await senders_.around(fire());
}

awaitable<void> assigner::fire()
{
    for (;;) {
        co_await term_.until_active(handover_need);
        auto const now = std::min(term_.clock.now(), limit_);
        distribute(open_.take_due(now, at_once));
        auto const next = open_.next_due();
        auto pause = duration{1s};
        if (next && *next <= limit_)
            pause = std::clamp(*next - term_.clock.now(), duration{0}, pause);
        if (pause > duration::zero())
            co_await bell_.wait_until(term_.time, term_.time.now() + pause);
    }
}

std::vector<std::string> assigner::carriers()
{
    std::vector<std::string> able;
    auto const now = term_.time.now();
    std::erase_if(avoid_, [&](auto const& entry) { return entry.second <= now; });
    for (auto const& node : nodes_.all())
        if (node.incarnation != nodes_.self().incarnation && !node.draining && nodes_.alive(node.incarnation) &&
            !avoid_.contains(node.incarnation) && node.incarnation != suspect_)
            able.push_back(node.incarnation);
    if (!nodes_.self().draining || able.empty())
        able.push_back(nodes_.self().incarnation);
    return able;
}

void assigner::distribute(std::vector<execution_id> ids)
{
    std::vector<execution_id> broadcasts;
    std::erase_if(ids, [&](auto id) {
        auto const* one = open_.find(id);
        bool const split = one != nullptr && one->broadcast();
        if (split)
            broadcasts.push_back(id);
        return split;
    });
    if (!broadcasts.empty())
        to_.broadcast(std::move(broadcasts));
    if (ids.empty())
        return;
    auto const able = carriers();
    // Few go to one node in one request, the nodes taking turns; many are spread evenly.
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
        if (auto* one = open_.find(id))
            open_.move(*one, phase::assigned, node);
    hand_over(node, std::move(ids), false);
}

// What was taken before is there, whatever becomes of this message.
void assigner::repeat(std::string const& node, std::vector<execution_id> ids)
{
    hand_over(node, std::move(ids), true);
}

void assigner::hand_over(std::string const& node, std::vector<execution_id> ids, bool maybe_there)
{
    if (node == nodes_.self().incarnation) {
        std::vector<protocol::assignment> batch;
        for (auto const id : ids)
            if (auto const* one = open_.find(id))
                batch.push_back(make_assignment(*one));
        if (to_.leaving)
            to_.leaving(term_.epoch(), node, ids);
        auto const given = assigned_to(node, ids);
        auto const count = here_.accept(std::move(batch));
        if (!maybe_there)
            taken(node, given, count);
        return;
    }
    for (std::size_t begin = 0; begin < ids.size(); begin += settings_.group) {
        auto const end = std::min(begin + settings_.group, ids.size());
        std::vector<execution_id> part(ids.begin() + static_cast<std::ptrdiff_t>(begin),
                                       ids.begin() + static_cast<std::ptrdiff_t>(end));
        senders_.spawn("assignment to a slave", send(node, std::move(part), maybe_there));
    }
}

std::vector<protocol::attempt_key> assigner::assigned_to(std::string const& node, std::vector<execution_id> const& ids)
{
    std::vector<protocol::attempt_key> out;
    out.reserve(ids.size());
    for (auto const id : ids)
        if (auto const* one = open_.find(id); one != nullptr && one->phase == phase::assigned && one->where == node)
            out.push_back({id, one->attempt});
    return out;
}

// An answer may come when the node has long counted as gone, and what it was given is elsewhere as the next attempt.
bool assigner::still_assigned(std::string const& node, protocol::attempt_key const& which)
{
    auto const* one = open_.find(which.execution);
    return one != nullptr && one->phase == phase::assigned && one->where == node && one->attempt == which.attempt;
}

// The slave's queue was full from there on: they wait a little and may go elsewhere.
void assigner::taken(std::string const& node, std::vector<protocol::attempt_key> const& given, std::size_t count)
{
    for (auto i = count; i < given.size(); ++i)
        if (still_assigned(node, given[i]))
            open_.wait(*open_.find(given[i].execution), term_.clock.now() + full_pause);
}

void assigner::fire_again(std::string const& node, std::vector<protocol::attempt_key> const& given)
{
    for (auto const& one : given)
        if (still_assigned(node, one))
            open_.wait(*open_.find(one.execution), term_.clock.now());
    bell_.wake();
}

awaitable<void> assigner::send(std::string node, std::vector<execution_id> ids, bool maybe_there)
{
    auto given = assigned_to(node, ids);
    while (!nodes_.gone(node)) {
        co_await term_.until_active(handover_need);
        auto const* row = nodes_.find(node);
        given = assigned_to(node, ids);
        if (given.empty() || row == nullptr)
            co_return;
        protocol::assign_request request;
        request.epoch = term_.epoch();
        request.master = nodes_.self().incarnation;
        for (auto const& one : given)
            request.executions.push_back(make_assignment(*open_.find(one.execution)));
        if (to_.leaving)
            to_.leaving(term_.epoch(), node, executions_of(given));
        auto const answer = co_await ask(*row, std::move(request), maybe_there);
        if (answer && answer->status == 200) {
            if (maybe_there) // a node that takes nothing now may have passed on what it took before
                co_return;
            taken(node, given,
                  static_cast<std::size_t>(http::parse_json(answer->body).get<protocol::assign_answer>().accepted));
            co_return;
        }
        if (answer && answer->status == 409) {
            to_.heard(http::parse_json(answer->body).get<protocol::epoch_message>().epoch, "node " + node);
            co_return;
        }
        if (answer)
            log::old::warn("node {}: status {}", node, answer->status);
        avoid_[node] = term_.time.now() + unreachable_pause;
        if (!maybe_there)
            co_return fire_again(node, given);
        co_await term_.time.sleep_for(settings_.retry_pause);
    }
    for (auto const& one : given)
        if (still_assigned(node, one))
            to_.doubt(one.execution);
}

std::int64_t assigner::next_number(std::string const& node) const
{
    auto const found = numbers_.find(node);
    return found == numbers_.end() ? 1 : found->second.next;
}

// One assignment under a number of its own; nothing when there was no answer.
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
        answer = co_await http_.send(to, std::move(message), settings_.assign_limit);
    } catch (http::unreachable const& failure) {
        maybe_there = maybe_there || failure.possibly_delivered();
        log::old::warn("node {}: {}", node, failure.what());
    }
    numbers_[node].open.erase(number);
    co_return answer;
}

awaitable<void> assigner::cancel_at_client(std::string instance, std::vector<execution_id> ids)
{
    protocol::executions_request request;
    request.epoch = term_.epoch();
    request.executions = std::move(ids);
    co_await clients_.cancel(std::move(instance), std::move(request));
}

awaitable<std::vector<execution_id>> assigner::withdraw(std::string node, std::vector<execution_id> ids)
{
    std::vector<execution_id> withdrawn;
    if (node == nodes_.self().incarnation) {
        withdrawn = here_.withdraw(ids);
    } else if (auto const* row = nodes_.find(node)) {
        protocol::executions_request request;
        request.epoch = term_.epoch();
        request.executions = ids;
        auto message = http::json_request(http::verb::post, protocol::path_stop, request);
        message.headers.set("Authorization", "Bearer " + row->secret);
        auto const to = http::parse_url(row->address);
        try {
            auto const answer = co_await http_.send(to, std::move(message), settings_.assign_limit);
            if (answer.status == 200)
                withdrawn = http::parse_json(answer.body).get<protocol::executions_request>().executions;
        } catch (unavailable const&) {
            co_return std::vector<execution_id>{};
        }
    }
    co_return withdrawn;
}

} // namespace baton::trigger
