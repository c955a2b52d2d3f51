#include "trigger/clients/client_stub.hpp"

#include "libs/base/log.hpp"
#include "libs/http/parse_as.hpp"

namespace baton::trigger {

client_stub::client_stub(registry& clients, http::client& http, duration limit, known_epoch& epochs)
    : clients_(clients), http_(http), limit_(limit), epochs_(epochs)
{}

// Nothing if the client is not known. Throws http::unreachable.
awaitable<std::optional<http::response>> client_stub::post(std::string instance, char const* path, std::string text)
{
    auto const* client = clients_.find(instance);
    if (client == nullptr)
        co_return std::nullopt;
    auto const to = http::parse_url(client->row.address);
    auto message = http::text_request(http::verb::post, path, std::move(text));
    message.headers.set("Authorization", "Bearer " + client->row.secret);
    auto answer = co_await http_.send(to, std::move(message), limit_);
    if (answer.status == 409)
        if (auto const refusal = http::parse_if<protocol::epoch_message>(answer.body))
            epochs_.claimed_by_client(refusal->epoch);
    co_return answer;
}

awaitable<client_stub::dispatch_outcome> client_stub::dispatch(std::string instance, std::string text)
{
    dispatch_outcome outcome;
    try {
        auto const answer = co_await post(instance, protocol::path_dispatch, std::move(text));
        if (!answer) {
            outcome.why = "client gone";
        } else if (answer->status == 200) {
            outcome.answer = http::parse_if<protocol::dispatch_answer>(answer->body);
            outcome.maybe_there = true;
            outcome.why = "its answer cannot be read";
        } else {
            outcome.why =
                answer->status == 409 ? "it knows a higher epoch" : "status " + std::to_string(answer->status);
        }
    } catch (http::unreachable const& failure) {
        outcome.maybe_there = failure.possibly_delivered();
        outcome.why = failure.what();
    }
    co_return outcome;
}

awaitable<std::optional<protocol::query_answer>> client_stub::ask(std::string instance, protocol::query_request request)
{
    auto text = nlohmann::json(request).dump();
    try {
        auto const answer = co_await post(std::move(instance), protocol::path_query, std::move(text));
        if (answer && answer->status == 200)
            co_return http::parse_if<protocol::query_answer>(answer->body);
    } catch (http::unreachable const&) {
        co_return std::nullopt;
    }
    co_return std::nullopt;
}

awaitable<void> client_stub::cancel(std::string instance, protocol::executions_request request)
{
    auto text = nlohmann::json(request).dump();
    co_await send_hint(std::move(instance), protocol::path_cancel, std::move(text));
}

awaitable<void> client_stub::announce(std::string instance, std::int64_t epoch)
{
    protocol::epoch_message message;
    message.epoch = epoch;
    auto text = nlohmann::json(message).dump();
    co_await send_hint(std::move(instance), protocol::path_epoch, std::move(text));
}

awaitable<void> client_stub::send_hint(std::string instance, char const* path, std::string text)
{
    try {
        co_await post(instance, path, std::move(text));
    } catch (http::unreachable const& failure) {
        log::debug("clients", "a hint did not reach its client", {log::reason(failure.what()), {"client", instance}});
    }
}

} // namespace baton::trigger
