#include "libs/base/error.hpp"
#include "trigger/api/api.hpp"
#include "trigger/api/authorize.hpp"

#include <memory>

namespace baton::trigger {

namespace {

// Each request is one coroutine; the shared object outlives all of them.
class client_endpoints {
public:
    client_endpoints(std::string token, client_endpoint_parts parts) : token_(std::move(token)), parts_(parts) {}

    awaitable<http::response> join(http::request const& request)
    {
        if (!authorized(request, token_))
            co_return refused();
        auto message = read_message<protocol::register_request>(request);
        bool const taken = co_await parts_.clients.join(std::move(message));
        if (!taken)
            co_return http::problem(410, "Gone", "this instance has left or was silent for too long: take a new name");
        co_return answer();
    }

    awaitable<http::response> beat(http::request const& request)
    {
        if (!authorized(request, token_))
            co_return refused();
        auto message = read_message<protocol::heartbeat_request>(request);
        bool const known = co_await parts_.clients.beat(std::move(message));
        // A node that cannot renew its own row cannot vouch for its clients: they are to find another node before they
        // count as gone with this one.
        if (known && !parts_.nodes.valid())
            throw unavailable("this node could not renew its membership");
        if (!known)
            co_return http::problem(404, "Unknown client", "this node has not heard of the instance: register");
        co_return answer();
    }

    awaitable<http::response> leave(http::request const& request)
    {
        if (!authorized(request, token_))
            co_return refused();
        auto message = read_message<protocol::leave_request>(request);
        co_await parts_.clients.leave(std::move(message.instance));
        co_return answer();
    }

    awaitable<http::response> results(http::request const& request)
    {
        if (!authorized(request, token_))
            co_return refused();
        auto message = read_message<protocol::results_request>(request);
        protocol::results_answer out;
        out.epoch = parts_.epochs.value();
        for (auto const& one : message.results) {
            protocol::attempt_key key;
            key.execution = one.execution;
            key.attempt = one.attempt;
            out.recorded.push_back(key);
        }
        co_await parts_.results.take(std::move(message));
        co_return http::text_response(200, to_text(out));
    }

private:
    static http::response refused()
    {
        return http::problem(401, "Unauthorized", "the shared token is missing or wrong");
    }

    http::response answer() const
    {
        protocol::heartbeat_answer out;
        out.epoch = parts_.epochs.value();
        out.heartbeat_ms = static_cast<int>(parts_.heartbeat.heartbeat / 1ms);
        out.ttl_ms = static_cast<int>(parts_.heartbeat.ttl() / 1ms);
        return http::text_response(200, to_text(out));
    }

    std::string token_;
    client_endpoint_parts parts_;
};

} // namespace

void add_client_endpoints(http::router& router, std::string token, client_endpoint_parts parts)
{
    auto const api = std::make_shared<client_endpoints>(std::move(token), parts);
    router.add(http::verb::post, protocol::path_register, [api](auto const& request) { return api->join(request); });
    router.add(http::verb::post, protocol::path_heartbeat, [api](auto const& request) { return api->beat(request); });
    router.add(http::verb::post, protocol::path_leave, [api](auto const& request) { return api->leave(request); });
    router.add(http::verb::post, protocol::path_results, [api](auto const& request) { return api->results(request); });
}

} // namespace baton::trigger
