#include "trigger/master/in_doubt_resolver.hpp"

#include "libs/base/log.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {
constexpr std::size_t most_asked = 5'000;
constexpr duration tell_limit = 500ms;
constexpr duration ask_again = 200ms;
constexpr duration ask_again_later = 1s; // while executions only wait for earlier attempts to end
}

in_doubt_resolver::in_doubt_resolver(term_scope const& scope, node_parts const& node, attempts& next)
    : scope_(scope), node_(node), next_(next), bell_(scope.loop), tellers_(scope.loop)
{}

void in_doubt_resolver::add(open_execution& one, protocol::attempt_cause cause)
{
    one.next_cause = cause;
    scope_.open.move(one, phase::in_doubt);
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
            co_await scope_.term.time.sleep_for(*again);
        else
            co_await bell_.wait();
    }
}

awaitable<void> in_doubt_resolver::announce()
{
    tellers_.spawn("announcement to clients", tell_clients());
    if (!scope_.term.replaced.empty())
        tellers_.spawn("announcement to the last master", tell_replaced());
    for (;;) {
        std::vector<std::string> left;
        for (auto const& node : node_.nodes.all())
            if (node.incarnation != node_.nodes.self().incarnation && node.incarnation != scope_.term.replaced &&
                !node_.nodes.gone(node.incarnation) && !told_.contains(node.incarnation))
                left.push_back(node.incarnation);
        if (left.empty())
            break;
        for (auto const& node : left)
            co_await tell_node(node);
        bool const all = std::all_of(left.begin(), left.end(), [&](auto const& node) { return told_.contains(node); });
        if (!all)
            co_await scope_.term.time.sleep_for(ask_again);
    }
    co_await learn_of_clients();
}

// A client may have joined at a node that did not know this epoch yet, and may have got executions from it.
awaitable<void> in_doubt_resolver::learn_of_clients()
{
    for (bool known = false; !known;) {
        try {
            co_await node_.clients.refresh();
            known = true;
        } catch (unavailable const& reason) {
            log::warn("in-doubt", "reading the clients failed, trying again in 200 ms",
                      {log::reason(reason.what()), {"epoch", scope_.term.epoch()}});
        }
        if (!known)
            co_await scope_.term.time.sleep_for(ask_again);
    }
}

awaitable<void> in_doubt_resolver::tell_replaced()
{
    while (!told_.contains(scope_.term.replaced) && !node_.nodes.gone(scope_.term.replaced)) {
        co_await tell_node(scope_.term.replaced);
        co_await scope_.term.time.sleep_for(ask_again);
    }
}

awaitable<void> in_doubt_resolver::tell_node(std::string incarnation)
{
    auto const* row = node_.nodes.find(incarnation);
    if (row == nullptr)
        co_return;
    protocol::epoch_message body;
    body.epoch = scope_.term.epoch();
    auto message = http::json_request(http::verb::post, protocol::path_announce, body);
    message.headers.set("Authorization", "Bearer " + row->secret);
    auto const to = http::parse_url(row->address);
    try {
        auto const answer = co_await node_.http.send(to, std::move(message), tell_limit);
        if (answer.status == 200)
            told_.insert(incarnation);
    } catch (unavailable const& reason) {
        log::debug("in-doubt", "announcing the epoch to a node failed, trying again",
                   {log::reason(reason.what()), {"node", incarnation}, {"epoch", scope_.term.epoch()}});
    }
}

// Nothing waits for this: a client also learns the epoch from the first request under it.
awaitable<void> in_doubt_resolver::tell_clients()
{
    std::vector<std::string> instances;
    node_.clients.each([&](known_client const& client) { instances.push_back(client.row.instance); });
    for (auto const& instance : instances)
        co_await node_.stub.announce(instance, scope_.term.epoch());
}

awaitable<std::optional<duration>> in_doubt_resolver::step()
{
    std::set<std::string> services;
    scope_.open.each([&](open_execution& one) {
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
    auto const* one = scope_.open.find(held.execution);
    if (one == nullptr)
        return;
    // A client that remembers that an earlier attempt failed does not have the attempt in question.
    if (held.attempt >= one->attempt || held.succeeded)
        all.holders[held.execution] = instance;
    else if (!held.finished)
        all.earlier[held.execution] = instance;
}

awaitable<in_doubt_resolver::client_answers> in_doubt_resolver::ask(std::string service, std::vector<execution_id> ids)
{
    protocol::query_request request;
    request.epoch = scope_.term.epoch();
    request.executions = ids;
    for (auto const id : ids) {
        auto const* one = scope_.open.find(id);
        request.attempts.push_back(one == nullptr ? 0 : one->attempt);
    }
    std::vector<std::string> instances;
    for (auto const* client : node_.clients.of_service(service))
        instances.push_back(client->row.instance);
    client_answers all;
    for (auto const& instance : instances) {
        auto const answer = co_await node_.stub.ask(instance, request);
        if (answer)
            for (auto const& held : answer->held)
                note(all, instance, held);
        else
            all.complete = all.complete && node_.clients.find(instance) == nullptr; // until it answers, or is gone
    }
    co_return all;
}

awaitable<void> in_doubt_resolver::cancel_earlier(client_answers const& all)
{
    std::map<std::string, std::vector<execution_id>> asked;
    for (auto const& [id, instance] : all.earlier)
        if (auto const* one = scope_.open.find(id); one != nullptr && one->cancel_requested)
            asked[instance].push_back(id);
    for (auto const& [instance, ids] : asked) {
        protocol::executions_request request;
        request.epoch = scope_.term.epoch();
        request.executions = ids;
        co_await node_.stub.cancel(instance, std::move(request));
    }
}

awaitable<std::optional<duration>> in_doubt_resolver::settle(std::string service)
{
    co_await scope_.term.until_active(100ms);
    std::vector<execution_id> ids;
    scope_.open.each([&](open_execution& one) {
        if (one.phase == phase::in_doubt && one.task->definition.service == service && ids.size() < most_asked)
            ids.push_back(one.id);
    });
    std::sort(ids.begin(), ids.end()); // in order of time
    auto const all = co_await ask(service, ids);
    std::size_t known = 0;
    std::size_t unknown = 0;
    for (auto const id : ids) {
        auto* one = scope_.open.find(id);
        if (one == nullptr || one->phase != phase::in_doubt)
            continue;
        if (auto const holder = all.holders.find(id); holder != all.holders.end()) {
            scope_.open.move(*one, phase::held, holder->second);
            ++known;
        } else if (all.complete && !all.earlier.contains(id)) {
            next_.open(*one, std::max(one->due_at, scope_.term.clock.now()), one->next_cause);
            ++unknown;
        }
    }
    log::info("in-doubt", "asked the clients of a service which executions they have",
              {{"service", service},
               {"executions", ids.size()},
               {"held", known},
               {"next_attempt", unknown},
               {"waiting_for_earlier", all.earlier.size()},
               {"all_answered", all.complete}});
    co_await cancel_earlier(all);
    if (!all.complete || ids.size() == most_asked)
        co_return ask_again;
    co_return all.earlier.empty() ? std::nullopt : std::optional(ask_again_later);
}

} // namespace baton::trigger
