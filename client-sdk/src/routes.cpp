#include "client-sdk/src/routes.hpp"

#include "libs/base/error.hpp"
#include "libs/base/random.hpp"
#include "libs/http/parse_as.hpp"
#include "libs/protocol/proof.hpp"

#include <algorithm>

namespace baton::client {

namespace {

constexpr std::size_t longest_probe = 4u << 10; // bytes; any caller may send one

http::response unauthorised()
{
    return http::problem(401, "Unauthorized", "the secret of this incarnation is required");
}

awaitable<http::response> ready(http::response answer)
{
    co_return answer;
}

protocol::dispatch read_one(nlohmann::json const& value)
{
    try {
        return value.get<protocol::dispatch>();
    } catch (invalid_input const&) {
        protocol::dispatch broken;
        broken.attempt = 0; // which the engine refuses as invalid
        if (value.is_object() && value.contains("execution") && value["execution"].is_number_integer())
            broken.execution = execution_id{value["execution"].get<std::int64_t>()};
        return broken;
    }
}

// Reads each execution by itself, so that an unreadable one does not fail the others: it is answered as `invalid`, if
// its id can be read.
protocol::dispatch_request read_one_by_one(nlohmann::json body)
{
    auto const found = body.find("executions");
    if (found == body.end() || !found->is_array())
        throw invalid_input("executions", "executions must be an array");
    auto const executions = std::move(*found);
    body.erase("executions");
    auto request = body.get<protocol::dispatch_request>();
    for (auto const& value : executions)
        request.executions.push_back(read_one(value));
    return request;
}

// Nothing when the message cannot be read as a whole, or names no executions.
std::optional<protocol::dispatch_request> read_at_once(std::string const& text)
{
    try {
        protocol::dispatch_request request;
        from_text(text, request);
        if (!request.executions.empty())
            return request;
    } catch (invalid_input const&) {
        return std::nullopt;
    }
    return std::nullopt;
}

} // namespace

routes::routes(engine& state, time_source const& time, identity self, std::function<void()> changed)
    : engine_(state), time_(time), self_(std::move(self)), changed_(std::move(changed))
{
    router_.add(http::verb::post, protocol::path_probe,
                [this](http::request const& message) { return ready(probe(message.body)); });
    router_.add(http::verb::post, protocol::path_dispatch,
                [this](http::request const& message) { return ready(dispatch(message.body)); });
    add(protocol::path_cancel, &routes::cancel);
    add(protocol::path_query, &routes::query);
    add(protocol::path_recall, &routes::recall);
}

awaitable<http::response> routes::handle(http::request message) const
{
    if (message.target != protocol::path_probe && !authorised(message))
        co_return unauthorised();
    co_return co_await router_.handle(std::move(message));
}

http::admission routes::admit(http::request const& head) const
{
    http::admission judged;
    if (head.target == protocol::path_probe)
        judged.body_limit = longest_probe;
    else if (!authorised(head))
        judged.refusal = unauthorised();
    return judged;
}

awaitable<http::response> routes::answer(std::string path, std::string body) const
{
    auto message = http::text_request(http::verb::post, std::move(path), std::move(body));
    co_return co_await router_.handle(std::move(message));
}

// The epoch is checked first, so that every request of a master whose term is over is refused.
void routes::add(char const* path, action act)
{
    router_.add(http::verb::post, path, [this, act](http::request const& message) {
        auto const body = http::parse_json(message.body);
        try {
            auto const term = body.get<protocol::epoch_message>().term;
            if (!engine_.observe(term))
                return ready(stale(term));
            return ready((this->*act)(body));
        } catch (nlohmann::json::exception const& failure) {
            throw invalid_input("", failure.what());
        }
    });
}

bool routes::authorised(http::request const& message) const
{
    return same_secret(message.headers.find("Authorization").value_or(""), "Bearer " + self_.secret);
}

// The answer to a request under this term.
http::response routes::stale(protocol::term_id term) const
{
    return http::json_response(409, protocol::epoch_message{engine_.terms().of(term.name_space)});
}

http::response routes::dispatch(std::string const& body) const
{
    auto request = read_at_once(body);
    if (!request) {
        auto whole = http::parse_json(body);
        auto const term = whole.get<protocol::epoch_message>().term;
        if (!engine_.observe(term))
            return stale(term);
        request = read_one_by_one(std::move(whole));
    }
    auto const term = request->term;
    if (!engine_.observe(term))
        return stale(term);
    auto const& node = request->node;
    auto const number = request->number;
    protocol::dispatch_answer answer;
    if (auto const last = last_.find(node); number > 0 && last != last_.end()) {
        if (number == last->second.number && last->second.answer)
            return *last->second.answer;
        if (number <= last->second.number) // the node no longer waits for this answer
            return http::json_response(200, answer);
    }
    auto const now = time_.now();
    bool const moved = request->generation > 0 && request->generation < generation_;
    answer.executions.reserve(request->executions.size());
    for (auto& one : request->executions)
        answer.executions.push_back(engine_.take(std::move(one), now, term, moved));
    answer.term = engine_.terms().of(term.name_space);
    answer.free = engine_.free();
    changed_();
    auto said = http::text_response(200, to_text(answer));
    if (number > 0)
        remember(node, {number, said, now});
    return said;
}

// A node gets a new name at a restart, so old ones must go: a number when no message can be so late, an answer when its
// node does not repeat the message any more.
void routes::remember(std::string const& node, last_dispatch what) const
{
    constexpr std::size_t few = 64;
    constexpr std::size_t most = 10'000;
    auto const now = what.at;
    last_[node] = std::move(what);
    if (last_.size() <= few)
        return;
    std::erase_if(last_, [&](auto const& one) { return now - one.second.at > 10min; });
    for (auto& [name, one] : last_)
        if (now - one.at > 1min)
            one.answer.reset();
    if (last_.size() > most)
        last_.erase(std::min_element(last_.begin(), last_.end(),
                                     [](auto const& a, auto const& b) { return a.second.at < b.second.at; }));
}

http::response routes::cancel(nlohmann::json const& body) const
{
    auto const request = body.get<protocol::executions_request>();
    auto answer = held(request.term, engine_.cancel(request.executions, read(time_)));
    changed_();
    return answer;
}

http::response routes::query(nlohmann::json const& body) const
{
    auto const request = body.get<protocol::query_request>();
    return held(request.term, engine_.query(request, time_.now()));
}

// A dispatch that this message has overtaken brings nothing any more, so what is given back stays so.
http::response routes::recall(nlohmann::json const& body) const
{
    auto const request = body.get<protocol::recall_request>();
    auto const now = time_.now();
    protocol::recall_answer answer;
    answer.term = engine_.terms().of(request.term.name_space);
    auto const last = last_.find(request.node);
    if (request.number <= 0 || (last != last_.end() && request.number < last->second.number))
        return http::json_response(200, answer); // its node does not wait for it any more
    answer.given_back = engine_.give_back(request.executions, request.attempts, now);
    remember(request.node, {request.number, std::nullopt, now});
    changed_();
    return http::json_response(200, answer);
}

// A stranger may ask, so it learns no more than the instance, and changes nothing.
http::response routes::probe(std::string const& body) const
{
    auto const nonce = http::parse_as<protocol::probe_request>(body).nonce;
    if (nonce.empty() || nonce.size() > protocol::longest_nonce)
        throw invalid_input("nonce", "nonce must have 1 to " + std::to_string(protocol::longest_nonce) + " bytes");
    return http::json_response(
        200, protocol::probe_answer{self_.instance, protocol::proof_of(self_.secret, self_.instance, nonce)});
}

http::response routes::held(protocol::term_id term, std::vector<protocol::held_execution> which) const
{
    auto const known = engine_.terms().of(term.name_space);
    return http::json_response(200, protocol::query_answer{known, std::move(which)});
}

} // namespace baton::client
