#include "libs/base/error.hpp"
#include "libs/base/log.hpp"
#include "trigger/api/api.hpp"
#include "trigger/api/authorize.hpp"
#include "trigger/clients/refused_messages.hpp"
#include "trigger/clients/register_check.hpp"
#include "trigger/clients/results_check.hpp"

#include <memory>

namespace baton::trigger {

namespace {

// Each request is one coroutine; the shared object outlives all of them.
class client_endpoints {
public:
    client_endpoints(std::string token, client_endpoint_parts parts)
        : token_(std::move(token)), parts_(parts), refused_(parts.time, parts.clients, parts.given)
    {}

    using endpoint = awaitable<http::response> (client_endpoints::*)(http::request const& request);

    awaitable<http::response> answer_to(endpoint which, http::request const& request)
    {
        try {
            co_return co_await (this->*which)(request);
        } catch (invalid_input const& wrong) {
            refused_.note(request, wrong);
            throw;
        }
    }

    awaitable<http::response> join(http::request const& request)
    {
        if (!authorized(request, token_))
            co_return client_refused(token_);
        auto message = read_message<protocol::register_request>(request);
        if (parts_.nodes.self().draining)
            throw unavailable("this node is stopping: register with another one");
        if (parts_.nodes.lapsed()) // it could not vouch for the client
            co_return lapsed();
        auto const instance = message.instance;
        if (!parts_.clients.hears(instance) && parts_.contact.refuses(instance))
            co_return cut_off();
        auto const ticket = parts_.given.ticket(instance, message.generation);
        auto unreachable_from = message.unreachable_from;
        auto given_back = std::move(message.given_back);
        auto held = std::move(message.held);
        auto const taken = co_await parts_.clients.join(std::move(message), request.connected);
        if (taken == registry::joined::overtaken)
            co_return http::problem(404, "Overtaken", "the client has registered again since");
        if (taken == registry::joined::changed)
            co_return http::problem(409, "Conflict",
                                    "this node has taken a registration of the instance with the same `generation` "
                                    "and other content: count `generation` up with each registration");
        if (taken == registry::joined::gone)
            co_return http::problem(
                410, "Gone",
                "this instance has left or was silent for too long, or it lives with another secret: "
                "register under a new instance");
        parts_.reach.tried(instance, std::move(unreachable_from));
        parts_.deliveries.may_have_given_back(instance, std::move(given_back));
        parts_.deliveries.has(instance, std::move(held));
        co_return answer(instance, ticket);
    }

    awaitable<http::response> beat(http::request const& request)
    {
        if (!authorized(request, token_))
            co_return client_refused(token_);
        auto message = read_message<protocol::heartbeat_request>(request);
        check(message);
        if (!has_ticket(message.instance, message.ticket))
            co_return no_ticket();
        auto const instance = message.instance;
        auto const free = message.free_slots;
        bool const known = co_await parts_.clients.beat(std::move(message));
        // A node that cannot renew its own row cannot vouch for its clients: they are to find another node before they
        // count as gone with this one. No exception, which would be logged for each client.
        if (known && !parts_.nodes.valid())
            co_return lapsed();
        if (!known)
            co_return not_home();
        parts_.deliveries.told_free_slots(instance, free);
        co_return answer(instance);
    }

    awaitable<http::response> watch(http::request const& request)
    {
        if (!authorized(request, token_))
            co_return client_refused(token_);
        auto message = read_message<protocol::watch_request>(request);
        check_instance(message.instance);
        if (!parts_.clients.hears(message.instance))
            co_return not_home();
        if (!has_ticket(message.instance, message.ticket))
            co_return no_ticket();
        if (auto const move = parts_.reach.move_of(message.instance))
            co_return http::json_response(200, *move);
        auto const answer = co_await parts_.watches.hold(std::move(message.instance));
        co_return http::json_response(200, answer);
    }

    awaitable<http::response> fetch(http::request const& request)
    {
        if (!authorized(request, token_))
            co_return client_refused(token_);
        auto message = read_message<protocol::fetch_request>(request);
        check_instance(message.instance);
        check_poll(message.poll);
        auto const* known = parts_.clients.find(message.instance);
        if (known == nullptr || !parts_.clients.hears(message.instance) ||
            !same_secret(known->row.secret, message.secret))
            co_return not_home();
        if (message.generation != known->row.generation || !has_ticket(message.instance, message.ticket))
            co_return no_ticket();
        if (!known->fetches())
            co_return http::text_response(200, parts_.fetches.poll_now(std::move(message)));
        auto text = co_await parts_.fetches.poll(std::move(message), request.connected);
        if (!text)
            co_return not_home();
        co_return http::text_response(200, std::move(*text));
    }

    awaitable<http::response> leave(http::request const& request)
    {
        if (!authorized(request, token_))
            co_return client_refused(token_);
        auto message = read_message<protocol::leave_request>(request);
        check_instance(message.instance);
        bool const is_home = parts_.clients.find(message.instance) != nullptr;
        if (is_home ? !has_ticket(message.instance, message.ticket) : message.secret.empty())
            co_return no_ticket();
        auto const instance = message.instance;
        co_await parts_.clients.leave(std::move(message));
        co_return answer(instance);
    }

    awaitable<http::response> results(http::request const& request)
    {
        if (!authorized(request, token_))
            co_return client_refused(token_);
        auto message = read_results(request.body);
        check_instance(message.instance);
        if (!has_ticket(message.instance, message.ticket))
            co_return no_ticket();
        protocol::results_answer out;
        out.term = parts_.epochs.term();
        out.refused = refuse(message);
        for (auto const& one : message.results)
            out.recorded.push_back({one.execution, one.attempt});
        auto const instance = message.instance;
        auto const ids = message.ids;
        std::vector<protocol::attempt_key> ended;
        for (auto const& one : message.results)
            if (protocol::is_final(one.status))
                ended.push_back({one.execution, one.attempt});
        parts_.deliveries.results_came(instance, message.results);
        co_await parts_.results.take(std::move(message));
        for (auto const& which : ended)
            parts_.deliveries.execution_ended(instance, which);
        co_return http::text_response(200, to_text(out, ids));
    }

private:
    static http::response lapsed()
    {
        auto answer = http::problem(503, "Service Unavailable", "this node could not renew its membership");
        answer.headers.set("Retry-After", "1");
        return answer;
    }

    // Without Retry-After: the client is to try the next node at once.
    static http::response cut_off()
    {
        return http::problem(503, "Service Unavailable",
                             "this node cannot report to the master: register with another one");
    }

    static http::response not_home()
    {
        return http::problem(404, "Unknown client", "this node is not the home of the instance: register");
    }

    // The home checks it. Another node cannot, and takes a result by its receipt.
    bool has_ticket(std::string const& instance, std::string const& ticket) const
    {
        auto const* known = parts_.clients.find(instance);
        return known == nullptr || same_secret(ticket, parts_.given.ticket(instance, known->row.generation));
    }

    static http::response no_ticket()
    {
        return http::problem(404, "Wrong ticket",
                             "the ticket is not that of the client's last registration with this node: register");
    }

    // Takes the results out of the message whose receipts are wrong: the client did not get these attempts, so they may
    // be of another service.
    std::vector<protocol::attempt_key> refuse(protocol::results_request& message) const
    {
        std::vector<protocol::attempt_key> refused;
        std::erase_if(message.results, [&](protocol::result_report const& one) {
            bool const wrong = !parts_.given.is_receipt(one.receipt, one.execution, one.attempt);
            if (wrong)
                refused.push_back({one.execution, one.attempt});
            return wrong;
        });
        if (!refused.empty())
            log::warn("clients", "a client reported results with wrong receipts, they are refused",
                      {{"client", message.instance}, {"results", refused.size()}});
        return refused;
    }

    http::response answer(std::string const& instance, std::string ticket = {}) const
    {
        auto reached = parts_.reach.of(instance);
        protocol::heartbeat_answer out;
        out.node = parts_.nodes.self().name;
        out.reach = reached.state;
        out.why = std::move(reached.why);
        out.ticket = std::move(ticket);
        out.fetch = parts_.fetches.must_tell(instance);
        if (auto const known = parts_.epochs.term(); known.epoch != 0)
            out.terms.push_back(known);
        out.heartbeat_ms = static_cast<int>(parts_.heartbeat.heartbeat / 1ms);
        out.ttl_ms = static_cast<int>(parts_.heartbeat.ttl() / 1ms);
        return http::text_response(200, to_text(out));
    }

    std::string token_;
    client_endpoint_parts parts_;
    refused_messages refused_;
};

} // namespace

void add_client_endpoints(http::router& router, std::string token, client_endpoint_parts parts)
{
    auto const api = std::make_shared<client_endpoints>(std::move(token), parts);
    auto const add = [&](char const* path, client_endpoints::endpoint which) {
        router.add(http::verb::post, path,
                   [api, which](http::request const& request) { return api->answer_to(which, request); });
    };
    add(protocol::path_register, &client_endpoints::join);
    add(protocol::path_heartbeat, &client_endpoints::beat);
    add(protocol::path_watch, &client_endpoints::watch);
    add(protocol::path_fetch, &client_endpoints::fetch);
    add(protocol::path_leave, &client_endpoints::leave);
    add(protocol::path_results, &client_endpoints::results);
}

} // namespace baton::trigger
