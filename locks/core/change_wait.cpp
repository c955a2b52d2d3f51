#include "locks/core/change_wait.hpp"

namespace baton::lock {

namespace {

// Shared by the caller and the request.
struct wait_state {
    wait_state(store_context& in, std::shared_ptr<waker> caller, change_wait asked)
        : store(in), wakeup(std::move(caller)), wait(std::move(asked)), left(in.loop)
    {}

    store_context& store;
    std::shared_ptr<waker> wakeup; // of the caller
    change_wait wait;
    waker left; // woken by the caller when it leaves
    bool over = false;
    std::exception_ptr failure = {};
};

// Keeps an exception in the state, because || would wait for the first success.
awaitable<void> await_store(wait_state& state)
{
    auto const handle = state.wait.handle;
    auto& time = state.store.time;
    auto const refused = state.wait.refused;
    bool away = false;
    try {
        co_await handle->await_change(refused, state.wait.until);
    } catch (unavailable const&) {
        away = true;
    } catch (std::exception const&) {
        state.failure = std::current_exception();
    }
    if (away)
        co_await time.sleep_until(std::min(state.wait.until, time.now() + pause_when_unavailable));
}

awaitable<void> await_store_beside(std::shared_ptr<wait_state> state)
{
    using namespace asio::experimental::awaitable_operators;
    co_await (await_store(*state) || state->left.wait());
    state->over = true;
    state->wakeup->wake();
}

} // namespace

awaitable<void> await_change(store_context& store, waiting_caller const& caller, change_wait wait)
{
    bool const in_doubt = wait.in_doubt;
    auto const& wakeup = caller.wakeup();
    auto const state = std::make_shared<wait_state>(store, wakeup, std::move(wait));
    store.tasks.spawn("lock wait", await_store_beside(state));
    while (!state->over && !caller.stopped())
        co_await wakeup->wait();
    state->left.wake();
    while (!state->over && in_doubt)
        co_await wakeup->wait();
    if (state->failure)
        std::rethrow_exception(state->failure);
}

} // namespace baton::lock
