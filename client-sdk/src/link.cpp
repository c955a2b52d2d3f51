#include "client-sdk/src/link.hpp"

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

link::link(asio::any_io_executor loop, time_source& time, random_source& random, http::client& http, engine& state,
           link_settings settings)
    : time_(time),
      random_(random),
      http_(http),
      engine_(state),
      settings_(std::move(settings)),
      beat_bell_(loop),
      report_bell_(loop),
      quiet_bell_(loop),
      senders_(loop),
      first_name_(settings_.identity.instance),
      first_secret_(settings_.identity.secret),
      period_(settings_.heartbeat)
{
    // Clients that start together spread over the nodes.
    node_ = random_.below(settings_.nodes.size());
    results_node_ = node_;
}

awaitable<std::optional<http::response>> link::post(std::size_t node, char const* path, std::string json,
                                                    duration limit)
{
    auto message = http::text_request(http::verb::post, path, std::move(json));
    if (!settings_.token.empty())
        message.headers.set("Authorization", "Bearer " + settings_.token);
    auto const& to = settings_.nodes[node];
    std::optional<http::response> answer;
    try {
        answer = co_await http_.send(to, std::move(message), limit);
    } catch (unavailable const& failure) {
        log::debug("client", "a request to a node failed, trying again or the next node",
                   {log::reason(failure.what()), {"node", to.text()}, {"path", path}});
    }
    if (answer && answer->status >= 400 && answer->status != 404)
        log::warn("client", "a node refused a request, trying again or the next node",
                  {log::reason(answer->body.substr(0, 300)),
                   {"node", to.text()},
                   {"path", path},
                   {"status", answer->status}});
    co_return answer;
}

awaitable<void> link::beat()
{
    for (int failures = 0; !leaving_;) {
        beating_ = true;
        bool const heard = co_await beat_once();
        beating_ = false;
        quiet_bell_.wake();
        failures = heard ? 0 : failures + 1;
        // Jitter only shortens: after three periods without a heartbeat a client counts as gone.
        auto const wait = heard ? duration{period_.count() - static_cast<std::int64_t>(random_.below(
                                                                 static_cast<std::uint64_t>(period_.count() / 10 + 1)))}
                                : pause(failures, period_);
        co_await beat_bell_.wait_until(time_, time_.now() + wait);
    }
    co_await beat_bell_.wait(); // its end would end the other parts of the runtime
}

awaitable<bool> link::beat_once()
{
    if (registered_) {
        auto const status = co_await heartbeat();
        if (status == 200)
            co_return true;
        registered_ = false;
        if (status != 404)
            node_ = (node_ + 1) % settings_.nodes.size();
    }
    for (std::size_t tries = 0; tries < settings_.nodes.size() && !leaving_; ++tries) {
        registered_ = co_await register_with(node_);
        if (registered_ && engine_.draining())
            co_await heartbeat(); // a registration does not say that the client drains
        if (registered_)
            co_return true;
        node_ = (node_ + 1) % settings_.nodes.size();
    }
    if (!warned_ && !leaving_)
        log::warn("client", "no trigger node takes the registration, trying on",
                  {{"service", settings_.identity.service}, {"instance", settings_.identity.instance}});
    warned_ = true;
    co_return false;
}

awaitable<bool> link::register_with(std::size_t node)
{
    settings_.identity.epoch = engine_.epoch();
    auto text = nlohmann::json(settings_.identity).dump();
    auto const asked = time_.now();
    auto const answer = co_await post(node, protocol::path_register, std::move(text), beat_limit());
    if (answer && answer->status == 410)
        take_new_name();
    if (!answer || answer->status != 200)
        co_return false;
    absorb(*answer, asked);
    warned_ = false;
    log::info("client", "registered",
              {{"service", settings_.identity.service},
               {"instance", settings_.identity.instance},
               {"node", settings_.nodes[node].text()}});
    co_return true;
}

// The client was silent for too long, so its executions go out as further attempts. Queued ones must not start here;
// running ones are found under the new name, and their results are still taken. A node that does not know this yet must
// not reach the client under its old name, which is gone for the master. Hence a new secret, no easier to guess.
void link::take_new_name()
{
    constexpr std::size_t longest = 100; // of the old name, so that the suffix fits
    constexpr std::size_t longest_secret = 50;
    auto const suffix = "~" + std::to_string(++renamed_);
    settings_.identity.instance = first_name_.substr(0, longest) + suffix;
    settings_.identity.secret = first_secret_.substr(0, longest_secret) + suffix;
    on_new_secret_(settings_.identity.secret);
    engine_.give_up_queued(time_.now());
    log::warn("client", "the nodes count this client as gone, going on under a new name",
              {{"instance", settings_.identity.instance}});
}

awaitable<int> link::heartbeat()
{
    protocol::heartbeat_request request;
    request.instance = settings_.identity.instance;
    request.free_slots = engine_.free_slots();
    request.epoch = engine_.epoch();
    request.draining = engine_.draining();
    auto text = to_text(request);
    auto const asked = time_.now();
    auto const answer = co_await post(node_, protocol::path_heartbeat, std::move(text), beat_limit());
    if (!answer)
        co_return 0;
    if (answer->status == 200)
        absorb(*answer, asked);
    co_return answer->status;
}

void link::absorb(http::response const& answer, instant asked)
{
    auto const told = http::parse_if<protocol::heartbeat_answer>(answer.body);
    if (!told)
        return;
    engine_.observe(told->epoch);
    duration const wanted = std::chrono::milliseconds{std::max(told->heartbeat_ms, 50)};
    period_ = std::min(settings_.heartbeat, wanted);
    // The node counts from its receipt of the heartbeat, which is later, by a clock that may run a little faster.
    duration const ttl =
        std::chrono::milliseconds{told->ttl_ms > 0 ? told->ttl_ms : 3 * std::max(told->heartbeat_ms, 50)};
    engine_.trust_until(asked + ttl - ttl / 100);
    on_heard_();
}

awaitable<void> link::report()
{
    co_await senders_.around(feed());
}

// While a message is on its way only full ones follow; fewer results gather meanwhile.
bool link::may_send() const
{
    if (on_way_ == 0)
        return time_.now() >= quiet_until_;
    return on_way_ < most_on_way && failures_ == 0 && engine_.results().waiting() >= most_results;
}

awaitable<void> link::feed()
{
    for (;;) {
        auto const now = time_.now();
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
            wake_at = std::min(wake_at, std::max(engine_.results().next_due().value_or(wake_at), quiet_until_));
        co_await report_bell_.wait_until(time_, wake_at);
    }
}

awaitable<void> link::send(std::vector<protocol::result_report> batch)
{
    auto const node = results_node_;
    auto const turn = turn_;
    protocol::results_request request;
    request.instance = settings_.identity.instance;
    request.results = std::move(batch);
    bool answered = false;
    try {
        auto text = to_text(request);
        auto const answer = co_await post(node, protocol::path_results, std::move(text), results_limit);
        answered = settle(request.results, answer);
    } catch (...) { // cancellation too: no result stays marked as on its way
        engine_.unsent(request.results);
        ended(turn, false);
        throw;
    }
    ended(turn, answered);
}

// Messages that were sent beside one that failed belong to its turn, so their failures count once.
void link::ended(int turn, bool answered)
{
    auto const nodes = static_cast<int>(settings_.nodes.size());
    if (answered) {
        failures_ = 0;
    } else if (turn == turn_) {
        ++turn_;
        ++failures_;
        results_node_ = (results_node_ + 1) % settings_.nodes.size();
        if (failures_ % nodes == 0)
            quiet_until_ = time_.now() + pause(failures_ / nodes, 2s);
    }
    --on_way_;
    report_bell_.wake();
}

// True when a node answered for the batch, also by refusing it.
bool link::settle(std::vector<protocol::result_report> const& batch, std::optional<http::response> const& answer)
{
    if (answer && (answer->status == 400 || answer->status == 413 || answer->status == 422)) {
        engine_.refused(batch,
                        "a node refused this result with status " + std::to_string(answer->status) +
                            "; value and error were dropped",
                        time_.now());
        return true;
    }
    auto const told =
        answer && answer->status == 200 ? http::parse_if<protocol::results_answer>(answer->body) : std::nullopt;
    if (!told) {
        engine_.unsent(batch);
        return false;
    }
    engine_.observe(told->epoch);
    engine_.settle(batch, told->recorded, time_.now());
    on_recorded_();
    return true;
}

awaitable<void> link::leave(instant until)
{
    leaving_ = true;
    while (beating_ && time_.now() < until)
        co_await quiet_bell_.wait_until(time_, until);
    protocol::leave_request request;
    request.instance = settings_.identity.instance;
    for (std::size_t tries = 0; registered_ && tries < settings_.nodes.size() && time_.now() < until; ++tries) {
        auto text = nlohmann::json(request).dump();
        auto const limit = until - time_.now();
        auto const answer = co_await post(node_, protocol::path_leave, std::move(text), limit);
        registered_ = !answer || answer->status >= 500;
        node_ = (node_ + 1) % settings_.nodes.size();
    }
}

duration link::pause(int failures, duration longest)
{
    auto const full = std::min<duration>(100ms * (1 << std::min(failures - 1, 9)), longest);
    return duration{full.count() / 2 +
                    static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(full.count() / 2 + 1)))};
}

duration link::beat_limit() const
{
    return std::clamp<duration>(period_ / 2, 500ms, 3s);
}

} // namespace baton::client
