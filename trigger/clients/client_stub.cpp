#include "trigger/clients/client_stub.hpp"

#include "libs/base/log.hpp"
#include "libs/base/random.hpp"
#include "libs/http/parse_as.hpp"
#include "trigger/clients/address_proof.hpp"

namespace baton::trigger {

namespace {

constexpr std::size_t nonce_bytes = 16;

// Only a refusal by the protocol says that the client took nothing (docs/protocol.md). A proxy or a framework may
// answer with any other status after the client has taken the group.
client_calls::dispatch_outcome outcome_of(http::response const& answer)
{
    client_calls::dispatch_outcome outcome;
    bool const success = answer.status >= 200 && answer.status < 300;
    bool const refusal = answer.status >= 400 && answer.status < 500 && answer.status != 408;
    if (success)
        outcome.answer = http::parse_if<protocol::dispatch_answer>(answer.body);
    outcome.maybe_there = !refusal;
    outcome.too_large = answer.status == 413;
    if (answer.status == 409)
        outcome.why = "it knows a higher epoch";
    else if (answer.status == 401)
        outcome.why = "the client there does not know the secret of the registration"; // of another process, say
    else if (success)
        outcome.why = "its answer cannot be read";
    else
        outcome.why = "status " + std::to_string(answer.status);
    return outcome;
}

std::string with_text_ids(char const* path, std::string text)
{
    try {
        return protocol::with_ids_as_text(path, std::move(text));
    } catch (invalid_input const& wrong) {
        throw http::unreachable("the message cannot be written with ids as text: " + std::string(wrong.what()), false);
    }
}

} // namespace

client_stub::client_stub(home_clients& clients, client_lines lines, call_limits limits, epoch_claims& epochs)
    : clients_(clients), lines_(lines), limits_(limits), epochs_(epochs)
{}

client_line& client_stub::line_to(known_client const& client, protocol::delivery_way way)
{
    return client.fetches() || way == protocol::delivery_way::fetch ? lines_.fetch : lines_.push;
}

duration client_stub::limit_of(known_client const& client, protocol::delivery_way way) const
{
    bool const told = !client.fetches() && way == protocol::delivery_way::fetch;
    return told ? limits_.heartbeat + limits_.call : limits_.call;
}

// For the log.
std::string client_stub::named(std::string const& instance) const
{
    auto const* client = clients_.find(instance);
    auto const text = "client " + instance;
    return client == nullptr ? text : text + " of service " + client->row.project + "/" + client->row.service;
}

// Nothing if the client is not known. Throws http::unreachable.
awaitable<std::optional<http::response>> client_stub::post(std::string instance, char const* path, std::string text,
                                                           protocol::delivery_way way)
{
    auto const* client = clients_.find(instance);
    if (client == nullptr)
        co_return std::nullopt;
    call_target to{instance, client->row.address, client->row.secret};
    auto const limit = limit_of(*client, way);
    if (client->row.text_ids)
        text = with_text_ids(path, std::move(text));
    auto answer = co_await line_to(*client, way).call(std::move(to), path, std::move(text), limit);
    if (answer.status == 409)
        if (auto const refusal = http::parse_if<protocol::epoch_message>(answer.body))
            epochs_.refused_by(refusal->term, named(instance));
    co_return answer;
}

awaitable<client_stub::dispatch_outcome> client_stub::dispatch(std::string instance, std::string text)
{
    dispatch_outcome outcome;
    try {
        auto const answer =
            co_await post(instance, protocol::path_dispatch, std::move(text), protocol::delivery_way::push);
        if (answer)
            outcome = outcome_of(*answer);
        else
            outcome.why = "client gone";
    } catch (http::unreachable const& failure) {
        outcome.maybe_there = failure.possibly_delivered();
        outcome.why = failure.what();
    }
    co_return outcome;
}

awaitable<std::optional<protocol::query_answer>> client_stub::ask(std::string instance, std::string text,
                                                                  protocol::delivery_way way)
{
    try {
        auto const answer = co_await post(std::move(instance), protocol::path_query, std::move(text), way);
        if (answer && answer->status == 200)
            co_return http::parse_if<protocol::query_answer>(answer->body);
    } catch (http::unreachable const&) {
        co_return std::nullopt;
    }
    co_return std::nullopt;
}

awaitable<void> client_stub::cancel(std::string instance, protocol::executions_request request,
                                    protocol::delivery_way way)
{
    auto text = nlohmann::json(request).dump();
    try {
        co_await post(instance, protocol::path_cancel, std::move(text), way);
    } catch (http::unreachable const& failure) {
        log::debug("clients", "a cancel did not reach its client, the master repeats it",
                   {log::reason(failure.what()), {"client", instance}});
    }
}

awaitable<client_stub::recall_outcome> client_stub::recall(std::string instance, std::string text)
{
    recall_outcome outcome;
    try {
        auto const answer =
            co_await post(std::move(instance), protocol::path_recall, std::move(text), protocol::delivery_way::push);
        outcome.unknown = answer && (answer->status == 404 || answer->status == 405 || answer->status == 501);
        if (answer && answer->status == 200)
            outcome.answer = http::parse_if<protocol::recall_answer>(answer->body);
    } catch (http::unreachable const&) { // the home asks again
        co_return outcome;
    }
    co_return outcome;
}

awaitable<client_stub::probe_outcome> client_stub::probe(std::string instance)
{
    auto const* client = clients_.find(instance);
    if (client == nullptr)
        co_return probe_outcome{{}, "the client is gone"};
    address_probe expected{instance, client->row.secret, secret_hex(nonce_bytes)};
    probe_outcome outcome{client->row.address, std::nullopt};
    call_target to{instance, outcome.address, {}};
    auto& line = line_to(*client, protocol::delivery_way::push);
    outcome.wrong = co_await probe_address(line, std::move(to), std::move(expected), limits_.call);
    co_return outcome;
}

} // namespace baton::trigger
