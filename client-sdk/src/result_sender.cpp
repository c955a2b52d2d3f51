#include "client-sdk/src/result_sender.hpp"

#include "libs/base/log.hpp"
#include "libs/http/parse_as.hpp"

#include <algorithm>

namespace baton::client {

namespace {

constexpr std::size_t most_results = 500;           // in one message
constexpr std::size_t most_result_bytes = 1u << 20; // and roughly so many bytes
constexpr int most_on_way = 8;                      // messages: two groups of a node, one while the other is committed
constexpr duration results_limit = 10s;
constexpr duration longest_wait = 1h; // a bound for waits that a wake-up ends

} // namespace

result_sender::result_sender(asio::any_io_executor loop, node_calls& calls, engine& state, registration const& member,
                             std::function<void()> recorded)
    : calls_(calls),
      engine_(state),
      member_(member),
      recorded_(std::move(recorded)),
      bell_(loop),
      senders_(loop),
      route_{calls.first(), calls.first()}
{}

awaitable<void> result_sender::run()
{
    co_await senders_.around(feed());
}

// While a message is on its way only full ones follow; fewer results gather meanwhile.
bool result_sender::may_send() const
{
    if (on_way_ == 0)
        return calls_.time().now() >= route_.quiet_until;
    return on_way_ < most_on_way && route_.failures == 0 && engine_.results().waiting() >= most_results;
}

awaitable<void> result_sender::feed()
{
    for (;;) {
        auto const now = calls_.time().now();
        std::vector<protocol::result_report> batch;
        if (may_send())
            batch = engine_.batch(now, most_results, most_result_bytes);
        if (!batch.empty()) {
            ++on_way_;
            senders_.spawn("results", send(std::move(batch)));
            continue;
        }
        auto wake_at = now + longest_wait;
        if (on_way_ == 0) // otherwise the end of a message wakes
            wake_at = std::min(wake_at, std::max(engine_.results().next_due().value_or(wake_at), route_.quiet_until));
        co_await bell_.wait_until(calls_.time(), wake_at);
    }
}

// The home counts what the client has and gives it no more, so it should hear of ends first. A message that fails goes
// to the next node, but that one is no better than the home for longer than the home is silent.
void result_sender::go_home()
{
    bool const moved = std::exchange(route_.home, member_.home()) != member_.home();
    bool const back = std::exchange(route_.home_is_back, false);
    if (!moved && !back)
        return;
    route_.node = member_.home();
    ++route_.turn;
}

awaitable<void> result_sender::send(std::vector<protocol::result_report> batch)
{
    go_home();
    auto const node = route_.node;
    auto const turn = route_.turn;
    protocol::results_request request;
    request.instance = member_.instance();
    request.ticket = member_.ticket();
    request.results = std::move(batch);
    bool answered = false;
    try {
        auto text = to_text(request);
        auto const answer = co_await calls_.post(node, protocol::path_results, std::move(text), results_limit);
        answered = settle(request.results, answer);
    } catch (...) { // cancellation too: no result stays marked as on its way
        engine_.unsent(request.results);
        ended(turn, false);
        throw;
    }
    ended(turn, answered);
}

// The end of a message. Messages that were sent beside one that failed belong to its turn, so their failures count
// once.
void result_sender::ended(int turn, bool answered)
{
    if (answered) {
        route_.failures = 0;
    } else if (turn == route_.turn) {
        auto const nodes = static_cast<int>(calls_.count());
        ++route_.turn;
        ++route_.failures;
        route_.node = calls_.after(route_.node);
        if (route_.failures % nodes == 0)
            route_.quiet_until = calls_.time().now() + calls_.pause(route_.failures / nodes, 2s);
    }
    --on_way_;
    bell_.wake();
}

// True when a node answered for the batch, also by refusing it.
bool result_sender::settle(std::vector<protocol::result_report> const& batch,
                           std::optional<http::response> const& answer)
{
    auto const now = calls_.time().now();
    if (answer && (answer->status == 400 || answer->status == 413 || answer->status == 422)) {
        engine_.refused(batch,
                        "a node refused this result with status " + std::to_string(answer->status) +
                            "; value and error were dropped",
                        now);
        return true;
    }
    auto const told =
        answer && answer->status == 200 ? http::parse_if<protocol::results_answer>(answer->body) : std::nullopt;
    if (!told) {
        engine_.unsent(batch);
        return false;
    }
    engine_.observe(told->term);
    for (auto const& one : told->refused)
        log::error("client", "a node refused the receipt of a result, which is lost",
                   {{"execution", to_string(one.execution)}, {"attempt", one.attempt}});
    auto settled = told->recorded;
    settled.insert(settled.end(), told->refused.begin(), told->refused.end());
    engine_.settle(batch, settled, now);
    recorded_();
    return true;
}

} // namespace baton::client
