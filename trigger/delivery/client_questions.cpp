#include "trigger/delivery/client_questions.hpp"

namespace baton::trigger {

namespace {
constexpr duration longest_wait = 1s;
}

struct client_questions::round {
    explicit round(asio::any_io_executor loop) : done(std::move(loop)) {}
    protocol::query_request request;
    protocol::ask_answer answer;
    std::size_t left = 0;
    waker done;
};

awaitable<protocol::ask_answer> client_questions::ask(protocol::ask_request request)
{
    auto const all = std::make_shared<round>(loop_);
    all->request.term = request.term;
    all->request.executions = std::move(request.executions);
    all->request.attempts = std::move(request.attempts);
    all->answer.term = request.term;
    for (auto const& instance : request.instances) {
        auto const* lane = deps_.clients.find(instance);
        if (lane == nullptr)
            continue;
        if (!lane->proved()) { // the question carries its secret; the master asks again
            notify_.waits(instance);
            continue;
        }
        ++all->left;
        deps_.background.spawn("a question to a client", ask_one(all, instance));
    }
    auto const until = deps_.time.now() + longest_wait;
    while (all->left != 0 && deps_.time.now() < until)
        co_await all->done.wait_until(deps_.time, until);
    co_return all->answer;
}

awaitable<void> client_questions::ask_one(std::shared_ptr<round> all, std::string instance)
{
    auto request = all->request;
    auto answer = co_await deps_.calls.ask(instance, std::move(request));
    if (answer) {
        all->answer.answered.push_back({instance, std::move(answer->held)});
        notify_.answered(instance);
    } else {
        notify_.failed(instance, "it did not answer a question");
    }
    if (--all->left == 0)
        all->done.wake();
}

void client_questions::cancel(protocol::cancel_at_request request)
{
    if (auto const* lane = deps_.clients.find(request.instance); lane != nullptr && lane->reachable())
        deps_.background.spawn("a cancel to a client", cancel_one(std::move(request)));
}

awaitable<void> client_questions::cancel_one(protocol::cancel_at_request request)
{
    protocol::executions_request message;
    message.term = request.term;
    message.executions = std::move(request.executions);
    co_await deps_.calls.cancel(std::move(request.instance), std::move(message));
}

} // namespace baton::trigger
