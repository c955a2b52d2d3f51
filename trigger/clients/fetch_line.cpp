#include "trigger/clients/fetch_line.hpp"

#include "libs/base/log.hpp"
#include "libs/http/client.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {
constexpr duration between_polls = 1s;  // without a request for so long, a client counts as one that does not fetch
constexpr duration after_break = 200ms; // the same after its connection has broken
constexpr duration stale_hold = 1s; // of a request that is not the client's newest, so that it does not come at once
constexpr int most_replaced = 3;    // requests that a newer one replaced while the client was there; then it is told
} // namespace

std::shared_ptr<fetch_line::client_box> fetch_line::open(std::string const& instance, bool has_address)
{
    auto& place = boxes_[instance];
    if (!place) {
        place = std::make_shared<client_box>();
        place->expected = time_.now() + between_polls;
    }
    place->has_address = has_address;
    return place;
}

bool fetch_line::must_tell(std::string const& instance) const
{
    auto const found = boxes_.find(instance);
    return found != boxes_.end() && found->second->has_address && found->second->box.has_calls();
}

awaitable<http::response> fetch_line::call(call_target to, char const* path, std::string body, duration limit)
{
    auto const client = open(to.instance, !to.address.empty());
    protocol::fetched_call message;
    message.call = ++calls_;
    message.path = path;
    message.body.text = std::move(body);
    auto const number = message.call;
    if (!client->box.put(std::move(message)))
        throw http::unreachable("too many calls wait already", false);
    auto const mine = std::make_shared<pending>(loop_);
    client->calls.emplace(number, mine);
    if (client->request)
        client->request->bell.wake();
    if (client->has_address && waiting_)
        waiting_(to.instance);
    std::exception_ptr cancelled;
    try {
        co_await wait_for_answer(client, number, limit);
    } catch (...) {
        cancelled = std::current_exception();
    }
    bool const sent = client->box.in_envelope(number) || mine->lost;
    client->box.give_up(number);
    client->calls.erase(number);
    if (cancelled)
        std::rethrow_exception(cancelled);
    if (mine->answer)
        co_return std::move(*mine->answer);
    throw http::unreachable(sent ? "it did not answer a call in time" : "it has ceased to fetch", sent);
}

// A call that the client has not got ends early if the client should hold a request and does not.
awaitable<void> fetch_line::wait_for_answer(std::shared_ptr<client_box> client, std::int64_t call, duration limit)
{
    auto const mine = client->calls.at(call);
    auto const until = time_.now() + limit;
    while (!mine->answer && !mine->lost && !client->closed) {
        bool const patient = client->has_address || client->request || client->box.in_envelope(call);
        auto const end = patient ? until : std::min(until, client->expected);
        if (time_.now() >= end)
            co_return;
        co_await mine->bell.wait_until(time_, end);
    }
}

awaitable<std::optional<std::string>> fetch_line::poll(protocol::fetch_request request, std::function<bool()> connected)
{
    auto const client = open(request.instance, false);
    take_answers(*client, request);
    lose(*client, client->box.drop_old(time_.now()));
    if (!client->box.begin(request.poll)) {
        tell_stale(*client, request.instance, "its poll is not higher than that of an earlier request");
        co_await time_.sleep_for(stale_hold);
        co_return empty();
    }
    auto const mine = std::make_shared<held>(loop_);
    bool const returns = !client->request && time_.now() > client->expected;
    if (auto const before = std::exchange(client->request, mine))
        before->bell.wake();
    if (returns && returned_)
        returned_(request.instance);
    co_await hold(client, mine);
    if (client->closed)
        co_return std::nullopt;
    if (client->request != mine) { // a newer one has come
        if (connected && connected() && ++client->replaced == most_replaced)
            tell_stale(*client, request.instance, "it sends a request while an earlier one is held");
        co_await time_.sleep_for(stale_hold);
        co_return empty();
    }
    client->request.reset();
    co_return answer_with(*client, connected);
}

void fetch_line::tell_stale(client_box& client, std::string const& instance, char const* why)
{
    if (!std::exchange(client.told_stale, true))
        log::warn("clients",
                  "a client fetches with requests that are not its newest, each is held for a second: fetch from one "
                  "loop, and raise poll with each request",
                  {log::reason(why), {"client", instance}});
}

std::string fetch_line::poll_now(protocol::fetch_request request)
{
    auto const client = open(request.instance, true);
    take_answers(*client, request);
    lose(*client, client->box.drop_old(time_.now()));
    return client->box.begin(request.poll) ? answer_with(*client, {}) : empty();
}

awaitable<void> fetch_line::hold(std::shared_ptr<client_box> client, std::shared_ptr<held> mine)
{
    auto const until = time_.now() + protocol::fetch_hold;
    std::exception_ptr cancelled;
    try {
        while (client->request == mine && !client->box.has_calls() && time_.now() < until)
            co_await mine->bell.wait_until(time_, until);
    } catch (...) {
        cancelled = std::current_exception();
    }
    if (!cancelled)
        co_return;
    if (client->request == mine)
        client->request.reset();
    std::rethrow_exception(cancelled);
}

std::string fetch_line::answer_with(client_box& client, std::function<bool()> const& connected)
{
    bool const broken = connected && !connected();
    client.expected = time_.now() + (broken ? after_break : between_polls);
    if (!broken)
        return client.box.has_calls() ? client.box.envelope(node_, envelopes_, time_.now()) : empty();
    for (auto const& [number, one] : client.calls)
        one->bell.wake(); // those that were not sent wait for less time now
    return empty();
}

void fetch_line::take_answers(client_box& client, protocol::fetch_request& request)
{
    if (request.number == 0 || request.node != node_)
        return;
    auto const asked = client.box.settle(request.number);
    for (auto& one : request.answers) {
        auto const found = client.calls.find(one.call);
        if (found == client.calls.end() || std::find(asked.begin(), asked.end(), one.call) == asked.end())
            continue;
        found->second->answer = http::text_response(one.status, std::move(one.body.text));
    }
    lose(client, asked);
}

// These calls get no other answer than they have. The client may have got them.
void fetch_line::lose(client_box& client, std::vector<std::int64_t> const& calls)
{
    for (auto const call : calls)
        if (auto const found = client.calls.find(call); found != client.calls.end()) {
            found->second->lost = !found->second->answer;
            found->second->bell.wake();
        }
}

void fetch_line::close(std::string const& instance)
{
    auto const found = boxes_.find(instance);
    if (found == boxes_.end())
        return;
    auto const client = found->second;
    boxes_.erase(found);
    client->closed = true;
    for (auto const& [number, one] : client->calls)
        one->bell.wake();
    if (auto const request = std::exchange(client->request, nullptr))
        request->bell.wake();
}

std::string fetch_line::empty() const
{
    protocol::fetch_answer nothing;
    nothing.node = node_;
    return to_text(nothing);
}

} // namespace baton::trigger
