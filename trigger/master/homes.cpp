#include "trigger/master/homes.hpp"

#include "libs/base/log.hpp"
#include "libs/protocol/revision.hpp"

namespace baton::trigger {

namespace {
constexpr duration call_limit = 2s;
constexpr duration ask_limit = 3s; // a node waits for its clients for less
}

awaitable<std::optional<http::response>> homes::call(std::string node, char const* path, std::string text,
                                                     duration limit)
{
    auto const* row = node_.nodes.find(node);
    if (row == nullptr)
        co_return std::nullopt;
    auto message = http::text_request(http::verb::post, path, std::move(text));
    message.headers.set("Authorization", "Bearer " + row->secret);
    message.headers.set(protocol::revision_header, std::to_string(protocol::wire_revision));
    auto const to = http::parse_url(row->address);
    std::optional<http::response> answer;
    try {
        answer = co_await node_.http.send(to, std::move(message), limit);
    } catch (unavailable const& failure) {
        log::debug("term", "a call to a node failed, it is repeated",
                   {log::reason(failure.what()), {"node", node}, {"path", path}});
    }
    co_return answer;
}

awaitable<protocol::ask_answer> homes::ask(std::string node, protocol::ask_request request)
{
    protocol::ask_answer told;
    if (node == node_.nodes.self().incarnation) {
        told = co_await node_.questions.ask(std::move(request));
        co_return told;
    }
    auto text = nlohmann::json(request).dump();
    auto const answer = co_await call(std::move(node), protocol::path_ask, std::move(text), ask_limit);
    if (answer && answer->status == 200)
        told = http::parse_json(answer->body).get<protocol::ask_answer>();
    co_return told;
}

awaitable<void> homes::cancel(std::string instance, std::vector<execution_id> ids)
{
    auto const* client = scope_.clients.find(instance);
    if (client == nullptr)
        co_return;
    auto node = *client->home;
    protocol::cancel_at_request request{scope_.term.id(), std::move(instance), std::move(ids)};
    if (node == node_.nodes.self().incarnation)
        co_return node_.questions.cancel(std::move(request));
    auto text = nlohmann::json(request).dump();
    co_await call(std::move(node), protocol::path_cancel_at, std::move(text), call_limit);
}

awaitable<std::vector<execution_id>> homes::withdraw(std::string node, std::vector<execution_id> ids)
{
    std::vector<execution_id> withdrawn;
    if (node == node_.nodes.self().incarnation) {
        withdrawn = node_.here.withdraw(ids);
        co_return withdrawn;
    }
    protocol::executions_request request;
    request.term = scope_.term.id();
    request.executions = std::move(ids);
    auto text = nlohmann::json(request).dump();
    auto const answer = co_await call(std::move(node), protocol::path_stop, std::move(text), call_limit);
    if (answer && answer->status == 200)
        withdrawn = http::parse_json(answer->body).get<protocol::executions_request>().executions;
    co_return withdrawn;
}

} // namespace baton::trigger
