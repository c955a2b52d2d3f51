// The answers of a client to the calls of its home.

#include "bench/member.hpp"
#include "libs/http/parse_as.hpp"
#include "libs/protocol/proof.hpp"

namespace baton::bench {

namespace {

// Epochs of one namespace are enough here. The answer 409 without a value: the call's epoch is too low.
bool obey(protocol::term_id& highest, protocol::term_id heard)
{
    if (heard.epoch < highest.epoch)
        return false;
    highest = heard;
    return true;
}

} // namespace

void member::answer_calls(protocol::fetch_answer const& envelope)
{
    if (envelope.node == answers_.node && envelope.number <= answers_.number)
        return; // an older envelope, or the same one, which gets the same answers
    answers_ = {};
    answers_.node = envelope.node;
    answers_.number = envelope.number;
    for (auto const& call : envelope.calls)
        answers_.answers.push_back(answer(call));
}

protocol::call_answer member::answer(protocol::fetched_call const& call)
{
    protocol::call_answer said;
    said.call = call.call;
    auto const& text = call.body.text;
    auto const too_low = [&](protocol::term_id heard) {
        if (obey(term_, heard))
            return false;
        said.status = 409;
        said.body.text = nlohmann::json(protocol::epoch_message{term_}).dump();
        return true;
    };
    if (call.path == protocol::path_probe) {
        auto const asked = http::parse_as<protocol::probe_request>(text);
        protocol::probe_answer proof;
        proof.instance = self_.instance;
        proof.proof = protocol::proof_of(self_.secret, self_.instance, asked.nonce);
        said.body.text = nlohmann::json(proof).dump();
    } else if (call.path == protocol::path_dispatch) {
        auto const asked = http::parse_as<protocol::dispatch_request>(text);
        if (!too_low(asked.term))
            said.body.text = take(asked);
    } else if (call.path == protocol::path_query) {
        auto const asked = http::parse_as<protocol::query_request>(text);
        if (!too_low(asked.term))
            said.body.text = held(asked.executions, asked.attempts, true);
    } else if (call.path == protocol::path_cancel) {
        auto const asked = http::parse_as<protocol::executions_request>(text);
        if (!too_low(asked.term))
            said.body.text = held(asked.executions, {}, false);
    } else {
        said.status = 404;
    }
    return said;
}

std::string member::take(protocol::dispatch_request const& request)
{
    auto& last = answered_[request.node];
    if (request.number != 0 && request.number == last.first)
        return last.second;
    protocol::dispatch_answer said;
    said.term = term_;
    if (request.number == 0 || request.number > last.first)
        for (auto const& work : request.executions)
            said.executions.push_back(take(work, request));
    said.free = running_ == 0;
    auto text = to_text(said);
    if (request.number > last.first)
        last = {request.number, text};
    return text;
}

protocol::dispatch_ack member::take(protocol::dispatch const& work, protocol::dispatch_request const& request)
{
    protocol::dispatch_ack said;
    said.execution = work.execution;
    said.attempt = work.attempt;
    auto const found = known_.find(work.execution);
    if (found != known_.end() && found->second.running) {
        said.answer = protocol::ack::running;
        said.holds = found->second.attempt;
    } else if (found != known_.end() && (!found->second.refused || found->second.attempt >= work.attempt)) {
        said.answer = protocol::ack::finished;
        said.holds = found->second.attempt;
    } else if (request.generation != 0 && request.generation != self_.generation) {
        said.answer = protocol::ack::moved;
    } else if (running_ > 0 || all_.time.now() > heard_ + ttl_) {
        said.answer = protocol::ack::busy;
    } else {
        known_[work.execution] = {work.attempt, true, false};
        ++running_;
        asio::co_spawn(loop_, run(work, request.term.epoch), asio::detached);
    }
    return said;
}

std::string member::held(std::vector<execution_id> const& asked, std::vector<int> const& attempts, bool query)
{
    protocol::query_answer said;
    said.term = term_;
    for (std::size_t i = 0; i < asked.size(); ++i) {
        auto const found = known_.find(asked[i]);
        if (found != known_.end() && !found->second.refused)
            said.held.push_back({asked[i], found->second.attempt, !found->second.running, !found->second.running});
        else if (query && i < attempts.size())
            known_[asked[i]] = {attempts[i], false, true};
    }
    return nlohmann::json(said).dump();
}

} // namespace baton::bench
