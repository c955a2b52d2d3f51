#include "trigger/master/ask_client.hpp"

#include <utility>

namespace baton::trigger {

awaitable<std::optional<std::vector<protocol::held_execution>>> ask_client(node_calls& calls, std::string home,
                                                                           std::string client, protocol::term_id term,
                                                                           std::vector<protocol::attempt_key> attempts)
{
    protocol::ask_request request;
    request.term = term;
    request.instances = {client};
    for (auto const& one : attempts) {
        request.executions.push_back(one.execution);
        request.attempts.push_back(one.attempt);
    }
    auto answer = co_await calls.ask(std::move(home), std::move(request));
    std::optional<std::vector<protocol::held_execution>> told;
    for (auto& each : answer.answered)
        if (each.instance == client)
            told = std::move(each.held);
    co_return told;
}

} // namespace baton::trigger
