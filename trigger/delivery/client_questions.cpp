#include "trigger/delivery/client_questions.hpp"

namespace baton::trigger {

namespace {
constexpr duration longest_wait = 1s;
}

struct client_questions::round {
    explicit round(asio::any_io_executor loop) : done(std::move(loop)) {}
    std::shared_ptr<std::string const> text; // of the question
    protocol::ask_answer answer;
    std::size_t left = 0;
    bool over = false; // what is answered now is too late
    waker done;

    void answered(std::string const& instance, protocol::query_answer&& one)
    {
        answer.answered.push_back({instance, std::move(one.held)});
        ended();
    }
    void ended()
    {
        if (--left == 0)
            done.wake();
    }
};

awaitable<protocol::ask_answer> client_questions::ask(protocol::ask_request request)
{
    auto const all = std::make_shared<round>(loop_);
    protocol::query_request question{request.term, std::move(request.executions), std::move(request.attempts)};
    all->text = std::make_shared<std::string const>(nlohmann::json(question).dump());
    all->answer.term = request.term;
    for (auto const& instance : request.instances) {
        auto const* lane = deps_.clients.find(instance);
        if (lane == nullptr)
            continue;
        if (!lane->proved()) { // a question to the address carries the secret
            bool const failed = lane->failing_since().has_value();
            notify_.waits(instance);
            if (failed)
                tell(all, instance);
            continue; // otherwise its probe is under way, and the master asks again
        }
        ++all->left;
        deps_.background.spawn("a question to a client", ask_one(all, instance));
    }
    auto const until = deps_.time.now() + longest_wait;
    while (all->left != 0 && deps_.time.now() < until)
        co_await all->done.wait_until(deps_.time, until);
    all->over = true;
    co_return all->answer;
}

void client_questions::tell(std::shared_ptr<round> const& all, std::string const& instance)
{
    ++all->left;
    told_.ask(instance, all->text, [this, all, instance](protocol::query_answer&& answer) {
        notify_.answered(instance);
        learn(instance, answer);
        if (all->over)
            return false;
        all->answered(instance, std::move(answer));
        return true;
    });
}

awaitable<void> client_questions::ask_one(std::shared_ptr<round> all, std::string instance)
{
    auto text = *all->text;
    auto answer = co_await deps_.calls.ask(instance, std::move(text), protocol::delivery_way::push);
    if (answer) {
        notify_.answered(instance);
        learn(instance, *answer);
        co_return all->answered(instance, std::move(*answer));
    }
    notify_.failed(instance, "it did not answer a question");
    all->ended();
}

// Executions that a former home has sent take slots of the client.
void client_questions::learn(std::string const& instance, protocol::query_answer const& answer)
{
    auto* const lane = deps_.clients.find(instance);
    if (lane == nullptr)
        return;
    for (auto const& one : answer.held)
        if (!one.finished)
            deps_.clients.learn(*lane, {one.execution, one.attempt}, deps_.time.now());
}

void client_questions::cancel(protocol::cancel_at_request request)
{
    auto const* lane = deps_.clients.find(request.instance);
    if (lane == nullptr || (!lane->proved() && !lane->failing_since()))
        return;
    auto const way = lane->proved() ? protocol::delivery_way::push : protocol::delivery_way::fetch;
    deps_.background.spawn("a cancel to a client", cancel_one(std::move(request), way));
}

awaitable<void> client_questions::cancel_one(protocol::cancel_at_request request, protocol::delivery_way way)
{
    protocol::executions_request message;
    message.term = request.term;
    message.executions = std::move(request.executions);
    co_await deps_.calls.cancel(std::move(request.instance), std::move(message), way);
}

} // namespace baton::trigger
