#include "client-sdk/src/registration.hpp"

#include "libs/base/log.hpp"
#include "libs/http/parse_as.hpp"
#include "libs/protocol/service_key.hpp"

#include <algorithm>
#include <charconv>

namespace baton::client {

namespace {
constexpr std::size_t most_tries = 5;   // registrations without a pause
constexpr duration longest_later = 30s; // that a node may ask for

std::string refusal_text(http::response const& answer)
{
    constexpr std::size_t longest = 200;
    auto const problem = nlohmann::json::parse(answer.body, nullptr, false);
    auto const found = problem.is_object() ? problem.find("detail") : problem.end();
    auto const detail = found != problem.end() && found->is_string() ? found->get<std::string>() : std::string();
    return "status " + std::to_string(answer.status) + (detail.empty() ? "" : ", " + detail.substr(0, longest));
}

// Most reasons name the node already.
std::string tried_text(std::string const& node, std::string const& why)
{
    return why.find(node) == std::string::npos ? node + ": " + why : why;
}

} // namespace

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
    if (failures > 0 && later_ > duration::zero()) // half of the wait is random, as in a pause
        return std::max(calls_.pause(failures, period_), later_ + calls_.drawn(later_));
    if (failures > 0)
        return calls_.pause(failures, period_);
    return period_ - calls_.drawn(period_ / 10);
}

awaitable<bool> registration::beat_once()
{
    later_ = {};
    bool to_next = false;
    if (status_.registered || status_.lapsed) {
        auto const answered = co_await heartbeat();
        if (answered == 200) {
            returned();
            co_return true;
        }
        status_.registered = false;
        status_.lapsed = answered == 503;
        to_next = answered != 404;
    }
    auto next = to_next ? calls_.after(node_) : node_;
    auto const home_later = std::exchange(later_, {});
    auto const most = std::min(calls_.count(), most_tries);
    std::string tried;
    for (std::size_t tries = 0; tries < most && later_ == duration::zero() && !status_.leaving; ++tries) {
        std::string why;
        bool const taken = co_await joined(next, why);
        if (taken)
            co_return true;
        tried += (tried.empty() ? "" : "; ") + tried_text(calls_.name(next), why);
        next = calls_.after(next);
    }
    later_ = std::max(later_, home_later);
    if (!status_.lapsed) // otherwise the next heartbeat may find the home well, and nothing has changed
        node_ = next;
    if (!status_.leaving && refused_.is_due("", calls_.time().now())) // the reasons may alternate
        log::warn("client", "no trigger node takes the registration, trying on",
                  {{"tried", tried},
                   {"service", protocol::to_text(protocol::service_of(settings_.identity))},
                   {"instance", settings_.identity.instance}});
    co_return false;
}

awaitable<bool> registration::joined(std::size_t node, std::string& why)
{
    if (status_.lapsed && node == node_) { // it is the home already
        why = "it is the home, which cannot take heartbeats at present";
        co_return false;
    }
    bool const taken = co_await register_with(node, why);
    if (!taken)
        co_return false;
    node_ = node;
    status_.registered = true;
    status_.lapsed = false;
    if (engine_.draining())
        co_await heartbeat(); // a registration does not say that the client drains
    co_return true;
}

// The home answers again.
void registration::returned()
{
    if (!std::exchange(status_.lapsed, false))
        return;
    status_.registered = true;
    refused_.clear();
    home_bell_.wake();
    notify_.registered(generation_);
}

awaitable<bool> registration::register_with(std::size_t node, std::string& why)
{
    settings_.identity.terms = engine_.terms().all();
    settings_.identity.given_back = engine_.given_back(calls_.time().now());
    settings_.identity.held = engine_.attempts(protocol::most_held_told);
    auto const generation = ++settings_.identity.generation;
    auto text = nlohmann::json(settings_.identity).dump();
    auto const asked = calls_.time().now();
    auto const answer = co_await calls_.post(node, protocol::path_register, std::move(text), beat_limit(), &why);
    if (answer && answer->status != 200)
        why = refusal_text(*answer);
    if (answer && answer->status == 410)
        take_new_name();
    if (answer && answer->status == 503)
        note_later(*answer);
    if (!answer || answer->status != 200)
        co_return false;
    if (generation > generation_) {
        generation_ = generation;
        if (auto const told = http::parse_if<protocol::heartbeat_answer>(answer->body))
            ticket_ = told->ticket;
    }
    absorb(*answer, asked);
    refused_.clear();
    home_bell_.wake();
    notify_.registered(generation);
    log::info("client", "registered",
              {{"service", protocol::to_text(protocol::service_of(settings_.identity))},
               {"instance", settings_.identity.instance},
               {"node", calls_.name(node)}});
    co_return true;
}

void registration::note_later(http::response const& answer)
{
    auto const text = answer.headers.find("Retry-After").value_or("");
    int seconds = 0;
    auto const read = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (read.ec == std::errc{} && seconds > 0)
        later_ = std::min<duration>(std::chrono::seconds{seconds}, longest_later);
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
    status_.lapsed = false;
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
    request.clock_ms = calls_.time().utc().time_since_epoch() / 1ms;
    auto text = to_text(request);
    auto const asked = calls_.time().now();
    auto const answer = co_await calls_.post(node_, protocol::path_heartbeat, std::move(text), beat_limit());
    if (!answer)
        co_return 0;
    if (answer->status == 200)
        absorb(*answer, asked);
    if (answer->status == 503)
        note_later(*answer);
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
    if (told->fetch)
        notify_.told_to_fetch();
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
    request.secret = settings_.identity.secret;
    for (std::size_t tries = 0;
         (status_.registered || status_.lapsed) && tries < calls_.count() && calls_.time().now() < until; ++tries) {
        auto text = nlohmann::json(request).dump();
        auto const limit = until - calls_.time().now();
        auto const answer = co_await calls_.post(node_, protocol::path_leave, std::move(text), limit);
        status_.registered = !answer || answer->status >= 500;
        status_.lapsed = false;
        node_ = calls_.after(node_);
    }
}

duration registration::beat_limit() const
{
    return std::clamp<duration>(period_ / 2, 500ms, 3s);
}

} // namespace baton::client
