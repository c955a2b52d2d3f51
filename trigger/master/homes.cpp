#include "trigger/master/homes.hpp"

#include "libs/base/log.hpp"
#include "libs/http/parse_as.hpp"
#include "libs/protocol/revision.hpp"

namespace baton::trigger {

namespace {
constexpr duration call_limit = 2s;
constexpr duration ask_limit = 3s; // a node waits for its clients for less
constexpr duration tell_limit = 500ms;

// An answer that cannot be read does not tell what the node has taken.
void read_taken(std::string const& body, node_calls::assign_outcome& outcome)
{
    if (auto const told = http::parse_if<protocol::assign_answer>(body)) {
        outcome.accepted = static_cast<std::size_t>(told->accepted);
    } else {
        outcome.status.reset();
        outcome.maybe_there = true;
    }
}

} // namespace

// A request that shows the node's secret.
homes::target homes::to(storage::node_record const& node, char const* path, std::string text)
{
    target out{http::parse_url(node.address), http::text_request(http::verb::post, path, std::move(text))};
    out.message.headers.set("Authorization", "Bearer " + node.secret);
    out.message.headers.set(protocol::revision_header, std::to_string(protocol::wire_revision));
    return out;
}

// Nothing if the node is unknown or does not answer.
awaitable<std::optional<http::response>> homes::call(std::string node, char const* path, std::string text,
                                                     duration limit)
{
    auto const* row = node_.nodes.find(node);
    if (row == nullptr)
        co_return std::nullopt;
    auto out = to(*row, path, std::move(text));
    std::optional<http::response> answer;
    try {
        answer = co_await node_.http.send(out.url, std::move(out.message), limit);
    } catch (unavailable const& failure) {
        log::debug("term", "a call to a node failed, it is repeated",
                   {log::reason(failure.what()), {"node", node}, {"path", path}});
    }
    co_return answer;
}

awaitable<std::optional<protocol::announce_answer>> homes::announce(std::string node)
{
    protocol::epoch_message body;
    body.term = scope_.term.id();
    auto text = nlohmann::json(body).dump();
    auto const answer = co_await call(std::move(node), protocol::path_announce, std::move(text), tell_limit);
    std::optional<protocol::announce_answer> told;
    if (answer && answer->status == 200)
        told = http::parse_if<protocol::announce_answer>(answer->body);
    co_return told;
}

awaitable<homes::assign_outcome> homes::assign(std::string node, std::string text)
{
    assign_outcome outcome;
    auto const* row = node_.nodes.find(node);
    if (row == nullptr)
        co_return outcome;
    auto out = to(*row, protocol::path_assign, std::move(text));
    try {
        auto const answer = co_await node_.http.send(out.url, std::move(out.message), assign_limit_);
        outcome.status = answer.status;
        if (answer.status == 200)
            read_taken(answer.body, outcome);
        else
            log::warn("assignment", "a node refused an assignment, avoiding the node for 1 s",
                      {{"node", node}, {"status", answer.status}});
        if (answer.status == 409) // if the lock row confirms it, this term is over
            if (auto const known = http::parse_if<protocol::epoch_message>(answer.body))
                node_.epochs.refused_by(known->term, "node " + node);
    } catch (http::unreachable const& failure) {
        outcome.maybe_there = failure.possibly_delivered();
        log::warn("assignment", "an assignment had no answer, avoiding the node for 1 s",
                  {log::reason(failure.what()), {"node", node}});
    }
    co_return outcome;
}

awaitable<protocol::ask_answer> homes::ask(std::string node, protocol::ask_request request)
{
    std::optional<protocol::ask_answer> told;
    if (node == node_.nodes.self().incarnation) {
        told = co_await node_.questions.ask(std::move(request));
        co_return std::move(*told);
    }
    auto text = nlohmann::json(request).dump();
    auto const answer = co_await call(std::move(node), protocol::path_ask, std::move(text), ask_limit);
    if (answer && answer->status == 200)
        told = http::parse_if<protocol::ask_answer>(answer->body);
    co_return std::move(told).value_or(protocol::ask_answer{});
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

awaitable<void> homes::ended(std::string node, std::vector<protocol::attempt_key> which)
{
    if (node == node_.nodes.self().incarnation)
        co_return node_.here.ended(which);
    auto text = nlohmann::json(protocol::ended_request{scope_.term.id(), std::move(which)}).dump();
    co_await call(std::move(node), protocol::path_ended, std::move(text), call_limit);
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
        if (auto given = http::parse_if<protocol::executions_request>(answer->body))
            withdrawn = std::move(given->executions);
    co_return withdrawn;
}

} // namespace baton::trigger
