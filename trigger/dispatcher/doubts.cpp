#include "trigger/dispatcher/doubts.hpp"

#include "libs/base/log.hpp"

#include <algorithm>
#include <map>

namespace baton::trigger {

namespace {
constexpr std::size_t group = 5'000;
constexpr duration tell_limit = 500ms;
constexpr duration pause = 200ms;
}

doubts::doubts(term& of, open_set& open, attempts& next, registry& clients, membership const& nodes, carrier& here,
               http::client& http, asio::any_io_executor loop)
    : term_(of),
      open_(open),
      next_(next),
      clients_(clients),
      nodes_(nodes),
      here_(here),
      http_(http),
      bell_(loop),
      tellers_(loop)
{}

void doubts::add(flight& one, std::string cause)
{
    open_.move(one, phase::doubt, std::move(cause));
    bell_.wake();
}

awaitable<void> doubts::run()
{
    std::exception_ptr ended;
    try {
        co_await announce();
        for (;;) {
            bool const clear = co_await step();
            if (clear)
                co_await bell_.wait();
            else
                co_await term_.time.sleep_for(pause);
        }
    } catch (...) {
        ended = std::current_exception();
    }
    tellers_.cancel();
    co_await tellers_.join();
    std::rethrow_exception(ended);
}

awaitable<void> doubts::announce()
{
    tellers_.spawn("announcement to clients", tell_clients());
    for (;;) {
        std::vector<std::string> left;
        for (auto const& node : nodes_.all())
            if (node.incarnation != nodes_.self().incarnation && nodes_.alive(node.incarnation) &&
                !told_.contains(node.incarnation))
                left.push_back(node.incarnation);
        if (left.empty())
            break;
        for (auto const& node : left)
            co_await tell_node(node);
        if (told_.size() < left.size())
            co_await term_.time.sleep_for(pause);
    }
    announced_ = true;
}

awaitable<void> doubts::tell_node(std::string incarnation)
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
        log::debug("announcing epoch {} to {}: {}", term_.epoch(), incarnation, reason.what());
    }
}

// Not waited for: a client also learns the epoch with the first thing that it is sent under it.
awaitable<void> doubts::tell_clients()
{
    std::vector<std::string> instances;
    clients_.each([&](known_client const& client) { instances.push_back(client.row.instance); });
    for (auto const& instance : instances)
        co_await here_.announce(instance);
}

awaitable<bool> doubts::step()
{
    std::set<std::string> services;
    open_.each([&](flight& one) {
        if (one.phase == phase::doubt)
            services.insert(one.task->definition.service);
    });
    bool clear = true;
    for (auto const& service : services) {
        bool const settled = co_await settle(service);
        clear = clear && settled;
    }
    co_return clear;
}

awaitable<bool> doubts::settle(std::string service)
{
    co_await term_.until_active(100ms);
    std::vector<std::int64_t> ids;
    open_.each([&](flight& one) {
        if (one.phase == phase::doubt && one.task->definition.service == service && ids.size() < group)
            ids.push_back(one.id.value());
    });
    std::sort(ids.begin(), ids.end()); // in order of time
    std::vector<std::string> instances;
    for (auto const* client : clients_.of_service(service))
        instances.push_back(client->row.instance);

    // A client that remembers the end of an earlier attempt does not have the one that is asked for.
    auto const has_it = [this](protocol::held_execution const& held) {
        auto const* one = open_.find(execution_id{held.execution});
        return one != nullptr && (!held.finished || held.attempt >= one->attempt);
    };
    std::map<std::int64_t, std::string> holders;
    bool all_answered = true;
    for (auto const& instance : instances) {
        auto const answer = co_await here_.ask(instance, ids);
        if (!answer) {
            all_answered = all_answered && clients_.find(instance) == nullptr; // until it does, or is gone
            continue;
        }
        for (auto const& held : answer->held)
            if (has_it(held))
                holders[held.execution] = instance;
    }
    std::size_t known = 0;
    std::size_t unknown = 0;
    for (auto const id : ids) {
        auto* one = open_.find(execution_id{id});
        if (one == nullptr || one->phase != phase::doubt)
            continue;
        if (auto const holder = holders.find(id); holder != holders.end()) {
            open_.move(*one, phase::held, holder->second);
            ++known;
        } else if (all_answered) {
            auto const cause = one->where;
            next_.open(*one, term_.clock.now(), cause);
            ++unknown;
        }
    }
    log::info("service {}: {} executions in doubt: {} held by clients, {} go out as the next attempt{}", service,
              ids.size(), known, unknown, all_answered ? "" : ", the rest wait for a client that does not answer");
    co_return all_answered&& ids.size() < group;
}

} // namespace baton::trigger
