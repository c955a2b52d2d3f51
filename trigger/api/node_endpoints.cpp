#include "libs/base/error.hpp"
#include "libs/protocol/figures_wire.hpp"
#include "trigger/api/api.hpp"
#include "trigger/api/authorize.hpp"

#include <memory>

namespace baton::trigger {

namespace {

constexpr duration refusal_shown = 1min; // of a client's message

class node_endpoints {
public:
    node_endpoints(std::string secret, node_endpoint_parts parts) : secret_(std::move(secret)), parts_(parts) {}

    awaitable<http::response> assign(http::request const& request) const
    {
        auto message = read_message<protocol::assign_request>(request);
        auto const other = co_await refuse_term(message.term, "node " + message.master);
        if (other)
            co_return *other;
        protocol::assign_answer out;
        parts_.trace.take(message.term.epoch, message.master, message.executions.size());
        out.accepted = static_cast<int>(parts_.deliveries.accept(std::move(message)));
        out.term = parts_.epochs.term();
        co_return http::json_response(200, out);
    }

    awaitable<http::response> stop(http::request const& request) const
    {
        auto const message = read_message<protocol::executions_request>(request);
        auto const other = co_await refuse_term(message.term, "a master");
        if (other)
            co_return *other;
        protocol::executions_request out;
        out.term = message.term;
        out.executions = parts_.deliveries.withdraw(message.executions);
        co_return http::json_response(200, out);
    }

    awaitable<http::response> announce(http::request const& request) const
    {
        auto const message = read_message<protocol::epoch_message>(request);
        auto const other = co_await refuse_term(message.term, "a master");
        if (other)
            co_return *other;
        protocol::announce_answer out;
        out.term = message.term;
        out.capacity = parts_.deliveries.capacity();
        co_return http::json_response(200, out);
    }

    awaitable<http::response> cancel(http::request const& request) const
    {
        auto message = read_message<protocol::cancel_at_request>(request);
        auto const other = co_await refuse_term(message.term, "a master");
        if (other)
            co_return *other;
        parts_.questions.cancel(std::move(message));
        co_return http::json_response(200, nlohmann::json::object());
    }

    awaitable<http::response> ended(http::request const& request) const
    {
        auto const message = read_message<protocol::ended_request>(request);
        auto const other = co_await refuse_term(message.term, "a master");
        if (other)
            co_return *other;
        parts_.deliveries.ended(message.executions);
        co_return http::json_response(200, nlohmann::json::object());
    }

    awaitable<http::response> ask(http::request const& request) const
    {
        auto message = read_message<protocol::ask_request>(request);
        auto const other = co_await refuse_term(message.term, "a master");
        if (other)
            co_return *other;
        auto const answer = co_await parts_.questions.ask(std::move(message));
        co_return http::json_response(200, answer);
    }

    http::response report(http::request const& request) const
    {
        auto const message = read_message<protocol::report_request>(request);
        if (!parts_.epochs.concerns(message.term))
            return other_namespace(message.term);
        auto const heard = parts_.master.take(message);
        return heard ? http::json_response(200, *heard) : not_here();
    }

    http::response signal(http::request const& request) const
    {
        read_message<protocol::signal_request>(request);
        auto* master = parts_.master.here();
        if (master == nullptr)
            return not_here();
        master->signal();
        return http::json_response(200, nlohmann::json::object());
    }

    http::response whereabouts(http::request const& request) const
    {
        auto const message = read_message<protocol::whereabouts_request>(request);
        if (message.executions.size() > protocol::most_whereabouts)
            throw invalid_input("executions", "executions must name at most 500");
        auto* master = parts_.master.here();
        if (master == nullptr)
            return not_here();
        return http::json_response(200, protocol::whereabouts_answer{master->whereabouts(message.executions)});
    }

    http::response departed(http::request const& request) const
    {
        auto const message = read_message<protocol::departed_message>(request);
        for (auto const& one : message.clients)
            depart(one);
        return http::json_response(200, nlohmann::json::object());
    }

    // The figures of some of this node's clients, for the list of clients.
    http::response figures(http::request const& request) const
    {
        auto const message = read_message<protocol::figures_request>(request);
        if (message.instances.size() > protocol::most_figures)
            throw invalid_input("instances", "instances must name at most 500 clients");
        protocol::figures_answer out;
        for (auto const& instance : message.instances)
            if (auto const* known = parts_.clients.find(instance))
                out.clients.push_back(figures_of(*known));
        return http::json_response(200, out);
    }

    http::response look_again(http::request const&) const
    {
        parts_.clients.look_again();
        return http::json_response(200, nlohmann::json::object());
    }

    using endpoint = http::response (node_endpoints::*)(http::request const&) const;
    awaitable<http::response> serve(endpoint which, http::request const& request) const
    {
        if (!authorized(request, secret_))
            co_return node_refused();
        if (auto const other = refuse_revision(request))
            co_return *other;
        co_return (this->*which)(request);
    }

    // Messages of a term: they may wait for the lock row to show its epoch.
    using term_endpoint = awaitable<http::response> (node_endpoints::*)(http::request const&) const;
    awaitable<http::response> serve(term_endpoint which, http::request const& request) const
    {
        if (!authorized(request, secret_))
            co_return node_refused();
        if (auto const other = refuse_revision(request))
            co_return *other;
        auto work = (this->*which)(request);
        co_return co_await std::move(work);
    }

private:
    protocol::client_figures figures_of(known_client const& client) const
    {
        auto const now = parts_.time.now();
        auto const lane = parts_.deliveries.figures(client.row.instance).value_or(lane_figures());
        protocol::client_figures out;
        out.instance = client.row.instance;
        out.heard_ms = (now - client.heard_at) / 1ms;
        out.answered_ms = client.answered_at == instant{} ? -1 : (now - client.answered_at) / 1ms;
        out.free_slots = lane.free_slots;
        out.in_flight = lane.in_flight;
        out.waiting = lane.waiting;
        auto const ahead = client.clock.ahead_ms(); // of this node's wall clock
        out.clock_told = ahead.has_value();
        out.clock_offset_ms = ahead ? *ahead + parts_.clock.skew() / 1ms : 0;
        if (client.refused && now - client.refused->at < refusal_shown) {
            out.refused_path = client.refused->path;
            out.refused_why = client.refused->why;
            out.refused_ms = (now - client.refused->at) / 1ms;
        }
        return out;
    }

    void depart(protocol::departed_client const& one) const
    {
        if (!one.home.empty())
            return parts_.clients.moved(one.instance, one.home, one.generation);
        parts_.clients.departed(one.instance);
        if (auto* master = parts_.master.here())
            master->client_gone(one.instance);
    }

    // The answer to a message of another namespace, of a term that is over, or of one that the lock row does not show.
    // Nothing if the message counts.
    awaitable<std::optional<http::response>> refuse_term(protocol::term_id term, std::string source) const
    {
        using admission = known_epoch::admission;
        if (!parts_.epochs.concerns(term))
            co_return other_namespace(term);
        auto const judged = co_await parts_.epochs.admit(term.epoch, std::move(source));
        if (judged == admission::current)
            co_return std::nullopt;
        if (judged == admission::unproved)
            co_return http::problem(503, "Unproved epoch", "the lock row does not show this epoch");
        co_return http::json_response(409, protocol::epoch_message{parts_.epochs.term()});
    }

    http::response other_namespace(protocol::term_id term) const
    {
        return http::problem(421, "Other namespace",
                             "the message is of namespace " + std::to_string(term.name_space) +
                                 " and this node is of namespace " + std::to_string(parts_.epochs.name_space()));
    }

    static http::response not_here() { return http::problem(421, "Misdirected", "this node is not the master"); }

    std::string secret_;
    node_endpoint_parts parts_;
};

} // namespace

void add_node_endpoints(http::router& router, std::string secret, node_endpoint_parts parts)
{
    auto const api = std::make_shared<node_endpoints>(std::move(secret), parts);
    auto const add = [&](char const* path, auto which) {
        router.add(http::verb::post, path, [api, which](auto const& request) { return api->serve(which, request); });
    };
    add(protocol::path_assign, &node_endpoints::assign);
    add(protocol::path_stop, &node_endpoints::stop);
    add(protocol::path_announce, &node_endpoints::announce);
    add(protocol::path_report, &node_endpoints::report);
    add(protocol::path_signal, &node_endpoints::signal);
    add(protocol::path_whereabouts, &node_endpoints::whereabouts);
    add(protocol::path_departed, &node_endpoints::departed);
    add(protocol::path_cancel_at, &node_endpoints::cancel);
    add(protocol::path_ended, &node_endpoints::ended);
    add(protocol::path_ask, &node_endpoints::ask);
    add(protocol::path_figures, &node_endpoints::figures);
    add(protocol::path_look_again, &node_endpoints::look_again);
}

} // namespace baton::trigger
