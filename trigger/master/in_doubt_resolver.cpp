#include "trigger/master/in_doubt_resolver.hpp"

#include "libs/base/log.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {
constexpr std::size_t most_asked = 5'000;
constexpr duration tell_limit = 500ms;
constexpr duration ask_again = 200ms;
constexpr duration ask_again_later = 1s; // while only handlers are waited for
}

in_doubt_resolver::in_doubt_resolver(term& term, open_set& open, attempts& next, registry& clients, client_stub& stub,
                                     membership const& nodes, http::client& http, asio::any_io_executor loop)
    : term_(term),
      open_(open),
      next_(next),
      clients_(clients),
      stub_(stub),
      nodes_(nodes),
      http_(http),
      bell_(loop),
      tellers_(loop)
{}

void in_doubt_resolver::add(open_execution& one, protocol::attempt_cause cause)
{
    open_.move(one, phase::in_doubt);
    one.next_cause = cause;
    bell_.wake();
}

awaitable<void> in_doubt_resolver::run()
{
    co_await tellers_.around(work());
}

awaitable<void> in_doubt_resolver::work()
{
    co_await announce();
    for (;;) {
        auto const again = co_await step();
        if (again)
            co_await term_.time.sleep_for(*again);
        else
            co_await bell_.wait();
    }
}

awaitable<void> in_doubt_resolver::announce()
{
    tellers_.spawn("announcement to clients", tell_clients());
    if (!term_.replaced.empty())
        tellers_.spawn("announcement to the last master", tell_replaced());
    for (;;) {
        std::vector<std::string> left;
        for (auto const& node : nodes_.all())
            if (node.incarnation != nodes_.self().incarnation && node.incarnation != term_.replaced &&
                !nodes_.gone(node.incarnation) && !told_.contains(node.incarnation))
                left.push_back(node.incarnation);
        if (left.empty())
            break;
        for (auto const& node : left)
            co_await tell_node(node);
        bool const all = std::all_of(left.begin(), left.end(), [&](auto const& node) { return told_.contains(node); });
        if (!all)
            co_await term_.time.sleep_for(ask_again);
    }
    co_await learn_of_clients();
    announced_ = true;
}

// A client may have joined at a node that had not heard of this epoch yet, and have been given something by it.
awaitable<void> in_doubt_resolver::learn_of_clients()
{
    for (bool known = false; !known;) {
        try {
            co_await clients_.refresh();
            known = true;
        } catch (unavailable const& reason) {
            log::old::warn("epoch {}: reading the clients: {}", term_.epoch(), reason.what());
        }
        if (!known)
            co_await term_.time.sleep_for(ask_again);
    }
}

awaitable<void> in_doubt_resolver::tell_replaced()
{
    while (!told_.contains(term_.replaced) && !nodes_.gone(term_.replaced)) {
        co_await tell_node(term_.replaced);
        if (told_.contains(term_.replaced) && returned_)
            returned_();
        co_await term_.time.sleep_for(ask_again);
    }
}

awaitable<void> in_doubt_resolver::tell_node(std::string incarnation)
{
    auto const* row = nodes_.find(incarnation);
    if (row == nullptr)
        co_return;
    protocol::epoch_message body;
    body.epoch = term_.epoch();
    auto message = http::json_request(http::verb::post, protocol::path_announce, body);
    message.headers.set("Authorization", "Bearer " + row->secret);
    auto const to = http::parse_url(row->address);
    try {
        auto const answer = co_await http_.send(to, std::move(message), tell_limit);
        if (answer.status == 200)
            told_.insert(incarnation);
    } catch (unavailable const& reason) {
        log::old::debug("announcing epoch {} to {}: {}", term_.epoch(), incarnation, reason.what());
    }
}

// Not waited for: a client also learns the epoch with the first thing that it is sent under it.
awaitable<void> in_doubt_resolver::tell_clients()
{
    std::vector<std::string> instances;
    clients_.each([&](known_client const& client) { instances.push_back(client.row.instance); });
    for (auto const& instance : instances)
        co_await stub_.announce(instance, term_.epoch());
}

awaitable<std::optional<duration>> in_doubt_resolver::step()
{
    std::set<std::string> services;
    open_.each([&](open_execution& one) {
        if (one.phase == phase::in_doubt)
            services.insert(one.task->definition.service);
    });
    std::optional<duration> again;
    for (auto const& service : services) {
        auto const mine = co_await settle(service);
        if (mine)
            again = std::min(again.value_or(*mine), *mine);
    }
    co_return again;
}

void in_doubt_resolver::note(client_answers& all, std::string const& instance, protocol::held_execution const& held)
{
    auto const* one = open_.find(held.execution);
    if (one == nullptr)
        return;
    // A client that remembers the failure of an earlier attempt does not have the one that is asked for.
    if (held.attempt >= one->attempt || held.succeeded)
        all.holders[held.execution] = instance;
    else if (!held.finished)
        all.earlier[held.execution] = instance;
}

awaitable<in_doubt_resolver::client_answers> in_doubt_resolver::hear(std::string service, std::vector<execution_id> ids)
{
    protocol::query_request request;
    request.epoch = term_.epoch();
    request.executions = ids;
    for (auto const id : ids) {
        auto const* one = open_.find(id);
        request.attempts.push_back(one == nullptr ? 0 : one->attempt);
    }
    std::vector<std::string> instances;
    for (auto const* client : clients_.of_service(service))
        instances.push_back(client->row.instance);
    client_answers all;
    for (auto const& instance : instances) {
        auto const answer = co_await stub_.ask(instance, request);
        if (answer)
            for (auto const& held : answer->held)
                note(all, instance, held);
        else
            all.complete = all.complete && clients_.find(instance) == nullptr; // until it answers, or is gone
    }
    co_return all;
}

awaitable<void> in_doubt_resolver::cancel_earlier(client_answers const& all)
{
    std::map<std::string, std::vector<execution_id>> asked;
    for (auto const& [id, instance] : all.earlier)
        if (auto const* one = open_.find(id); one != nullptr && one->cancel_requested)
            asked[instance].push_back(id);
    for (auto const& [instance, ids] : asked) {
        protocol::executions_request request;
        request.epoch = term_.epoch();
        request.executions = ids;
        co_await stub_.cancel(instance, std::move(request));
    }
}

awaitable<std::optional<duration>> in_doubt_resolver::settle(std::string service)
{
    co_await term_.until_active(100ms);
    std::vector<execution_id> ids;
    open_.each([&](open_execution& one) {
        if (one.phase == phase::in_doubt && one.task->definition.service == service && ids.size() < most_asked)
            ids.push_back(one.id);
    });
    std::sort(ids.begin(), ids.end()); // in order of time
    auto const all = co_await hear(service, ids);
    std::size_t known = 0;
    std::size_t unknown = 0;
    for (auto const id : ids) {
        auto* one = open_.find(id);
        if (one == nullptr || one->phase != phase::in_doubt)
            continue;
        if (auto const holder = all.holders.find(id); holder != all.holders.end()) {
            open_.move(*one, phase::held, holder->second);
            ++known;
        } else if (all.complete && !all.earlier.contains(id)) {
            next_.open(*one, std::max(one->due_at, term_.clock.now()), one->next_cause);
            ++unknown;
        }
    }
    log::old::info(
        "service {}: {} executions in doubt: {} held by clients, {} go out as the next attempt, {} wait for an "
        "earlier one{}",
        service, ids.size(), known, unknown, all.earlier.size(),
        all.complete ? "" : ", the rest for a client that does not answer");
    co_await cancel_earlier(all);
    if (!all.complete || ids.size() == most_asked)
        co_return ask_again;
    co_return all.earlier.empty() ? std::nullopt : std::optional(ask_again_later);
}

} // namespace baton::trigger
