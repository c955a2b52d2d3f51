#include "client-sdk/src/fetcher.hpp"

#include "libs/base/log.hpp"
#include "libs/http/parse_as.hpp"

namespace baton::client {

namespace {
constexpr duration longest_pause = 1s;
constexpr duration answer_time = 5s; // for the home, after the hold
constexpr int quick_answers = 3;     // without calls in a row, after which the client fetches more slowly
} // namespace

awaitable<void> fetcher::run()
{
    int failures = 0;
    for (;;) {
        while (!member_.registered()) {
            failures = 0;
            co_await bell_.wait();
        }
        auto const what = co_await fetch_once();
        failures = what == outcome::answered || what == outcome::aborted ? 0 : failures + 1;
        bool const rests = what == outcome::failed || failures > quick_answers;
        auto const until = calls_.time().now() + (rests ? calls_.pause(failures, longest_pause) : duration::zero());
        if (rests) // no longer than until the next registration
            co_await bell_.wait_until(calls_.time(), until);
    }
}

awaitable<void> fetcher::run_when_told()
{
    for (;;) {
        co_await told_bell_.wait();
        co_await bell_.wait_until(calls_.time(), calls_.time().now()); // a registration before this aborts no request
        for (bool more = true; more && member_.registered();) {
            auto const what = co_await fetch_once();
            more = what == outcome::answered || what == outcome::aborted;
        }
    }
}

std::string fetcher::request_text()
{
    protocol::fetch_request request;
    if (!confirmed_)
        request = answers_;
    request.instance = member_.instance();
    request.secret = member_.secret();
    request.generation = member_.generation();
    request.ticket = member_.ticket();
    request.poll = ++polls_;
    return to_text(request);
}

awaitable<fetcher::outcome> fetcher::fetch_once()
{
    using namespace asio::experimental::awaitable_operators;
    auto const home = member_.home();
    auto const instance = member_.instance();
    auto const asked = calls_.time().now();
    auto request = calls_.post(home, protocol::path_fetch, request_text(), protocol::fetch_hold + answer_time);
    auto again = bell_.wait();
    auto const first = co_await (std::move(request) || std::move(again));
    if (first.index() == 1 || home != member_.home() || instance != member_.instance())
        co_return outcome::aborted;
    auto const& answer = std::get<0>(first);
    if (!answer)
        co_return outcome::failed;
    if (answer->status != 200)
        co_return refused(answer->status);
    auto const held = calls_.time().now() - asked;
    auto const what = co_await take(*answer, held);
    co_return what;
}

fetcher::outcome fetcher::refused(int status)
{
    if (status == 404) // not the home any more: a heartbeat finds that out, and registers
        member_.beat_now();
    else if ((status == 400 || status == 413) && !confirmed_) // the home cannot read the answers, so it gets none
        answers_.answers.clear();
    return outcome::failed;
}

awaitable<fetcher::outcome> fetcher::take(http::response const& answer, duration held)
{
    auto envelope = http::parse_if<protocol::fetch_answer>(answer.body);
    if (!envelope) {
        log::warn("client", "the answer to a fetch cannot be read, fetching again",
                  {log::reason(answer.body.substr(0, 300))});
        co_return outcome::failed;
    }
    confirmed_ = true;
    if (envelope->number == 0)
        co_return held < longest_pause ? outcome::nothing : outcome::answered;
    co_await answer_calls(std::move(*envelope));
    co_return outcome::answered;
}

// An envelope that was answered before gets the same answers: its calls must not count twice.
awaitable<void> fetcher::answer_calls(protocol::fetch_answer envelope)
{
    if (envelope.node == answers_.node && envelope.number < answers_.number)
        co_return; // the home has the answers, and sent this before it had them
    confirmed_ = false;
    if (envelope.node == answers_.node && envelope.number == answers_.number)
        co_return;
    answers_.node = std::move(envelope.node);
    answers_.number = envelope.number;
    answers_.answers.clear();
    for (auto& call : envelope.calls) {
        auto const got = co_await routes_.answer(std::move(call.path), std::move(call.body.text));
        protocol::call_answer said;
        said.call = call.call;
        said.status = got.status;
        if (!got.body.empty())
            said.body.text = got.body;
        answers_.answers.push_back(std::move(said));
    }
}

} // namespace baton::client
