#include "libs/lock/redis/redis_server.hpp"

#include <algorithm>

namespace baton::lock {

namespace {

std::string milliseconds_of(duration span)
{
    return std::to_string(std::chrono::ceil<std::chrono::milliseconds>(span).count());
}

} // namespace

redis_server::redis_server(redis_location where, redis_connection_parts parts, std::size_t replicas)
    : where_(std::move(where)), parts_(std::move(parts)), replicas_(replicas), doorbell_(where_, parts_)
{}

redis_server::~redis_server()
{
    if (commands_)
        commands_->close("not needed any more");
}

redis_server::connection redis_server::commands()
{
    if (!commands_ || !commands_->is_open())
        commands_ = redis_connection::open(where_, parts_);
    return commands_;
}

// `rest`: the number of keys, the keys, the arguments. A server that has forgotten the script is sent it whole.
awaitable<redis_reply> redis_server::run(connection by, redis_script const& what, redis_command const& rest)
{
    redis_command words{"EVALSHA", what.digest};
    words.insert(words.end(), rest.begin(), rest.end());
    auto answer = co_await by->call(words);
    if (answer.is_error() && answer.text.starts_with("NOSCRIPT")) {
        words[0] = "EVAL";
        words[1] = what.text;
        answer = co_await by->call(words);
    }
    if (answer.is_error()) {
        // A server that has become a replica: what the address leads to now may be its successor.
        if (answer.text.starts_with("READONLY"))
            by->close(answer.text);
        throw unavailable("Redis " + where_.text() + ": " + answer.text);
    }
    co_return answer;
}

awaitable<redis_answer> redis_server::take(bid const& offer, redis_keys const& keys)
{
    auto const by = commands();
    redis_command const rest{"2", keys.lock, keys.tokens, offer.owner, milliseconds_of(offer.ttl)};
    auto const answer = co_await run(by, take_script(), rest);
    if (answer.list.size() != 2)
        throw unavailable("Redis " + where_.text() + ": not the answer of the script");
    redis_answer made;
    if (answer.list[0].number == 0) {
        if (answer.list[1].number >= 0)
            made.left = std::chrono::milliseconds{answer.list[1].number + 1};
        co_return made;
    }
    auto const why = co_await replicas_missing(by, offer.ttl);
    if (!why.empty())
        throw unavailable(why); // whoever gives up releases it; a release here might come late, and hit the next try
    made.token = answer.list[1].number;
    co_return made;
}

awaitable<bool> redis_server::extend(bid const& offer, redis_keys const& keys)
{
    auto const by = commands();
    redis_command const rest{"1", keys.lock, offer.owner, milliseconds_of(offer.ttl)};
    auto const answer = co_await run(by, extend_script(), rest);
    if (answer.number != 1)
        co_return false;
    auto const why = co_await replicas_missing(by, offer.ttl);
    if (!why.empty())
        throw unavailable(why);
    co_return true;
}

awaitable<bool> redis_server::release(bid const& offer, redis_keys const& keys)
{
    auto const by = commands();
    redis_command const rest{"1", keys.lock, offer.owner, keys.channel};
    auto const answer = co_await run(by, release_script(), rest);
    co_return answer.number == 1;
}

awaitable<redis_reply> redis_server::ask(redis_script const& what, redis_command const& rest,
                                         std::optional<duration> ttl)
{
    auto const by = commands();
    auto answer = co_await run(by, what, rest);
    bool const yes = (answer.list.empty() ? answer : answer.list.front()).number == 1;
    if (!ttl || !yes)
        co_return answer;
    auto const why = co_await replicas_missing(by, *ttl);
    if (!why.empty())
        throw unavailable(why);
    co_return answer;
}

// The server answers nothing else on this connection meanwhile.
awaitable<std::string> redis_server::replicas_missing(connection by, duration ttl)
{
    if (replicas_ == 0)
        co_return "";
    auto const patience = std::min(parts_.limit, ttl) / 4;
    redis_command const words{"WAIT", std::to_string(replicas_), milliseconds_of(patience)};
    auto const answer = co_await by->call(words);
    if (!answer.is_error() && answer.number >= static_cast<std::int64_t>(replicas_))
        co_return "";
    co_return "Redis " + where_.text() + ": " +
        (answer.is_error()
             ? answer.text
             : std::to_string(answer.number) + " of " + std::to_string(replicas_) + " replicas have confirmed it");
}

} // namespace baton::lock
