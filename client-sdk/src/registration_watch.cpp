#include "client-sdk/src/registration.hpp"

// The watch of the home, and moves to another one.

#include "libs/http/parse_as.hpp"

#include <algorithm>

namespace baton::client {

namespace {
constexpr duration watch_again = 200ms; // after news, for the heartbeat to act on it
constexpr duration watch_later = 5s;    // where watching does not work
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
    if (told->fetch)
        notify_.told_to_fetch();
    bool const held = calls_.time().now() - asked >= watch_later;
    co_return told->move || told->fetch ? watch_again
    : held                              ? 0s
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
    later_ = {};
    std::string why;
    for (std::size_t tries = 1; tries < calls_.count() && later_ == duration::zero() && !status_.leaving; ++tries) {
        if (next != node_ && co_await register_with(next, why)) {
            node_ = next;
            co_return;
        }
        next = calls_.after(next);
    }
}

} // namespace baton::client
