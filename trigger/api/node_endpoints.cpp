#include "libs/base/error.hpp"
#include "trigger/api/api.hpp"
#include "trigger/api/authorize.hpp"

#include <memory>

namespace baton::trigger {

namespace {

class node_endpoints {
public:
    node_endpoints(std::string secret, node_calls calls) : secret_(std::move(secret)), calls_(std::move(calls)) {}

    http::response assign(http::request const& request) const
    {
        auto message = read_message<protocol::assign_request>(request);
        if (!calls_.admit(message.epoch, "node " + message.master))
            return stale();
        protocol::assign_answer out;
        out.accepted = static_cast<int>(calls_.assign(std::move(message)));
        out.epoch = calls_.epoch();
        return http::json_response(200, out);
    }

    http::response stop(http::request const& request) const
    {
        auto const message = read_message<protocol::executions_request>(request);
        if (!calls_.admit(message.epoch, "a master"))
            return stale();
        protocol::executions_request out;
        out.epoch = message.epoch;
        out.executions = calls_.withdraw(message.executions);
        return http::json_response(200, out);
    }

    http::response announce(http::request const& request) const
    {
        auto const message = read_message<protocol::epoch_message>(request);
        if (!calls_.admit(message.epoch, "a master"))
            return stale();
        return http::json_response(200, message);
    }

    http::response report(http::request const& request) const
    {
        auto const message = read_message<protocol::report_request>(request);
        auto const heard = calls_.report(message);
        return heard ? http::json_response(200, *heard) : not_here();
    }

    http::response signal(http::request const& request) const
    {
        read_message<protocol::signal_request>(request);
        return calls_.signal() ? http::json_response(200, nlohmann::json::object()) : not_here();
    }

    http::response departed(http::request const& request) const
    {
        calls_.departed(read_message<protocol::departed_message>(request).instance);
        return http::json_response(200, nlohmann::json::object());
    }

    using endpoint = http::response (node_endpoints::*)(http::request const&) const;
    awaitable<http::response> serve(endpoint which, http::request const& request) const
    {
        if (!authorized(request, secret_))
            co_return http::problem(401, "Unauthorized", "the secret of this node is missing or wrong");
        co_return (this->*which)(request);
    }

private:
    http::response stale() const
    {
        protocol::epoch_message out;
        out.epoch = calls_.epoch();
        return http::json_response(409, out);
    }

    static http::response not_here() { return http::problem(421, "Misdirected", "this node is not the master"); }

    std::string secret_;
    node_calls calls_;
};

} // namespace

void add_node_endpoints(http::router& to, std::string secret, node_calls calls)
{
    auto const api = std::make_shared<node_endpoints>(std::move(secret), std::move(calls));
    auto const add = [&](char const* path, node_endpoints::endpoint which) {
        to.add(http::verb::post, path, [api, which](auto const& request) { return api->serve(which, request); });
    };
    add(protocol::path_assign, &node_endpoints::assign);
    add(protocol::path_stop, &node_endpoints::stop);
    add(protocol::path_announce, &node_endpoints::announce);
    add(protocol::path_report, &node_endpoints::report);
    add(protocol::path_signal, &node_endpoints::signal);
    add(protocol::path_departed, &node_endpoints::departed);
}

} // namespace baton::trigger
