#include "client-sdk/src/registration.hpp"

#include "libs/base/log.hpp"
#include "libs/http/parse_as.hpp"
#include "libs/protocol/service_key.hpp"

#include <algorithm>

namespace baton::client {

namespace {
constexpr duration watch_again = 200ms; // after news, for the heartbeat to act on it
constexpr duration watch_later = 5s;    // where watching does not work
}

registration::registration(asio::any_io_executor loop, node_calls& calls, engine& state, link_settings settings,
                           watchers notify)
    : calls_(calls),
      engine_(state),
      settings_(std::move(settings)),
      notify_(std::move(notify)),
      beat_bell_(loop),
      quiet_bell_(loop),
      home_bell_(loop),
      node_(calls.first()),
      first_{settings_.identity.instance, settings_.identity.secret},
      period_(settings_.heartbeat)
{}

awaitable<void> registration::beat()
{
    for (int failures = 0; !status_.leaving;) {
        status_.beating = true;
        bool const heard = co_await beat_once();
        status_.beating = false;
        quiet_bell_.wake();
        failures = heard ? 0 : failures + 1;
        auto const wait = next_wait(failures);
        co_await beat_bell_.wait_until(calls_.time(), calls_.time().now() + wait);
    }
    co_await beat_bell_.wait(); // its end would end the other parts of the runtime
}

// Jitter only shortens: after three periods without a heartbeat a client counts as gone.
duration registration::next_wait(int failures)
{
    if (failures > 0)
        return calls_.pause(failures, period_);
    auto const jitter = calls_.random().below(static_cast<std::uint64_t>(period_.count() / 10 + 1));
    return duration{period_.count() - static_cast<std::int64_t>(jitter)};
}

awaitable<bool> registration::beat_once()
{
    if (status_.registered) {
        auto const answered = co_await heartbeat();
        if (answered == 200)
            co_return true;
        status_.registered = false;
        if (answered != 404)
            node_ = calls_.after(node_);
    }
    for (std::size_t tries = 0; tries < calls_.count() && !status_.leaving; ++tries) {
        status_.registered = co_await register_with(node_);
        if (status_.registered && engine_.draining())
            co_await heartbeat(); // a registration does not say that the client drains
        if (status_.registered)
            co_return true;
        node_ = calls_.after(node_);
    }
    if (!status_.warned && !status_.leaving)
        log::warn("client", "no trigger node takes the registration, trying on",
                  {{"service", protocol::to_text(protocol::service_of(settings_.identity))},
                   {"instance", settings_.identity.instance}});
    status_.warned = true;
    co_return false;
}

awaitable<bool> registration::register_with(std::size_t node)
{
    settings_.identity.terms = engine_.terms().all();
    auto const generation = ++settings_.identity.generation;
    auto text = nlohmann::json(settings_.identity).dump();
    auto const asked = calls_.time().now();
    auto const answer = co_await calls_.post(node, protocol::path_register, std::move(text), beat_limit());
    if (answer && answer->status == 410)
        take_new_name();
    if (!answer || answer->status != 200)
        co_return false;
    if (generation > generation_) {
        generation_ = generation;
        if (auto const told = http::parse_if<protocol::heartbeat_answer>(answer->body))
            ticket_ = told->ticket;
    }
    absorb(*answer, asked);
    status_.warned = false;
    home_bell_.wake();
    notify_.registered(generation);
    log::info("client", "registered",
              {{"service", protocol::to_text(protocol::service_of(settings_.identity))},
               {"instance", settings_.identity.instance},
               {"node", calls_.name(node)}});
    co_return true;
}

awaitable<void> registration::watch()
{
    for (;;) {
        while (!status_.registered || status_.leaving)
            co_await home_bell_.wait();
        auto const pause = co_await watch_once();
        if (pause > duration::zero())
            co_await calls_.time().sleep_for(pause);
    }
}

// Returns the pause until the next watch.
awaitable<duration> registration::watch_once()
{
    protocol::watch_request request;
    request.instance = settings_.identity.instance;
    request.ticket = ticket_;
    auto const home = node_;
    auto text = nlohmann::json(request).dump();
    auto const asked = calls_.time().now();
    auto const answer = co_await calls_.post(home, protocol::path_watch, std::move(text), protocol::watch_hold + 5s);
    if (status_.leaving || home != node_)
        co_return 0s;
    if (!answer && calls_.time().now() - asked < protocol::watch_hold) { // the connection has broken
        beat_now();
        co_return watch_again;
    }
    auto const told =
        answer && answer->status == 200 ? http::parse_if<protocol::watch_answer>(answer->body) : std::nullopt;
    if (!told)
        co_return watch_later; // the node is older, or is not the home any more
    if (told->move) {
        note_move(*told);
        co_await move(told->to);
    }
    bool const held = calls_.time().now() - asked >= watch_later;
    co_return told->move ? watch_again
    : held               ? 0s
                         : watch_later; // a node that does not hold must not be asked in a loop
}

// A home that cannot reach the client asks it to try the nodes that have not tried yet.
void registration::note_move(protocol::watch_answer const& told)
{
    constexpr std::size_t most = 100;
    if (told.why.empty())
        return;
    note_reach(protocol::reach::unreachable, told.why);
    auto& tried = settings_.identity.unreachable_from;
    if (tried.size() < most && std::find(tried.begin(), tried.end(), reached_.node) == tried.end())
        tried.push_back(reached_.node);
}

// Registers with another node, and stays with the present one if none takes it.
awaitable<void> registration::move(std::string to)
{
    auto next = calls_.find_or_add(to, node_).value_or(node_);
    if (next == node_)
        next = calls_.after(node_);
    for (std::size_t tries = 1; tries < calls_.count() && !status_.leaving; ++tries) {
        if (next != node_ && co_await register_with(next)) {
            node_ = next;
            co_return;
        }
        next = calls_.after(next);
    }
}

// The client was silent for too long, so its executions go out as further attempts. Queued ones must not start here;
// running ones are found under the new name, and their results are still taken. A node that does not know this yet must
// not reach the client under its old name, which is gone for the master. Hence a new secret, no easier to guess.
void registration::take_new_name()
{
    constexpr std::size_t longest = 100; // of the old name, so that the suffix fits
    constexpr std::size_t longest_secret = 50;
    auto const suffix = "~" + std::to_string(++renamed_);
    settings_.identity.instance = first_.instance.substr(0, longest) + suffix;
    settings_.identity.secret = first_.secret.substr(0, longest_secret) + suffix;
    notify_.new_name(settings_.identity);
    engine_.give_up_queued(calls_.time().now());
    log::warn("client", "the nodes count this client as gone, going on under a new name",
              {{"instance", settings_.identity.instance}});
}

awaitable<int> registration::heartbeat()
{
    protocol::heartbeat_request request;
    request.instance = settings_.identity.instance;
    request.generation = generation_;
    request.ticket = ticket_;
    request.free_slots = engine_.free_slots();
    request.terms = engine_.terms().all();
    request.draining = engine_.draining();
    auto text = to_text(request);
    auto const asked = calls_.time().now();
    auto const answer = co_await calls_.post(node_, protocol::path_heartbeat, std::move(text), beat_limit());
    if (!answer)
        co_return 0;
    if (answer->status == 200)
        absorb(*answer, asked);
    co_return answer->status;
}

void registration::absorb(http::response const& answer, instant asked)
{
    auto const told = http::parse_if<protocol::heartbeat_answer>(answer.body);
    if (!told)
        return;
    for (auto const& term : told->terms)
        engine_.observe(term);
    reached_.node = told->node;
    note_reach(told->reach, told->why);
    duration const wanted = std::chrono::milliseconds{std::max(told->heartbeat_ms, 50)};
    period_ = std::min(settings_.heartbeat, wanted);
    // The node counts from its receipt of the heartbeat, which is later, by a clock that may run a little faster.
    duration const ttl =
        std::chrono::milliseconds{told->ttl_ms > 0 ? told->ttl_ms : 3 * std::max(told->heartbeat_ms, 50)};
    engine_.trust_until(asked + ttl - ttl / 100);
    notify_.heard();
}

// Logs each change once.
void registration::note_reach(protocol::reach state, std::string const& why)
{
    if (state == protocol::reach::reachable)
        settings_.identity.unreachable_from.clear();
    bool const same = state == reached_.state && why == reached_.why;
    bool const was_unreachable = std::exchange(reached_.state, state) == protocol::reach::unreachable;
    reached_.why = why;
    if (same)
        return;
    if (state == protocol::reach::unreachable)
        log::warn("client", "the home node does not reach this client, which gets no work",
                  {log::reason(why), {"instance", settings_.identity.instance}});
    else if (state == protocol::reach::reachable && was_unreachable)
        log::info("client", "the home node reaches this client again",
                  {{"instance", settings_.identity.instance}, {"node", reached_.node}});
}

awaitable<void> registration::leave(instant until)
{
    status_.leaving = true;
    while (status_.beating && calls_.time().now() < until)
        co_await quiet_bell_.wait_until(calls_.time(), until);
    protocol::leave_request request;
    request.instance = settings_.identity.instance;
    request.generation = settings_.identity.generation;
    request.ticket = ticket_;
    for (std::size_t tries = 0; registered() && tries < calls_.count() && calls_.time().now() < until; ++tries) {
        auto text = nlohmann::json(request).dump();
        auto const limit = until - calls_.time().now();
        auto const answer = co_await calls_.post(node_, protocol::path_leave, std::move(text), limit);
        status_.registered = !answer || answer->status >= 500;
        node_ = calls_.after(node_);
    }
}

duration registration::beat_limit() const
{
    return std::clamp<duration>(period_ / 2, 500ms, 3s);
}

} // namespace baton::client
