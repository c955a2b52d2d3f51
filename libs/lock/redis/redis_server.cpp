#include "libs/lock/redis/redis_server.hpp"

#include <algorithm>

namespace baton::lock {

namespace {

std::string milliseconds_of(duration span)
{
    return std::to_string(std::chrono::ceil<std::chrono::milliseconds>(span).count());
}

[[noreturn]] void refuse_errand(redis_errand const& on, std::string const& why)
{
    throw unavailable("Redis " + on.by->where().text() + ": " + why);
}

awaitable<redis_reply> ask_there(redis_errand& on, redis_command const& words)
{
    if (on.aside)
        on.by->send({"ASKING"}); // it is of the next command
    co_return co_await on.by->call(words, on.until);
}

} // namespace

redis_server::redis_server(std::unique_ptr<redis_route> route, redis_connection_parts parts, std::size_t replicas)
    : parts_(parts), replicas_(replicas), route_(std::move(route)), doorbell_(*route_, parts_)
{}

redis_errand redis_server::to(std::string const& key) const
{
    return redis_errand{key, parts_.time.now() + parts_.limit};
}

// `rest`: the number of keys, the keys, the arguments. A server that has forgotten the script is sent it whole.
awaitable<redis_reply> redis_server::run(redis_errand& on, redis_script const& what, redis_command const& rest)
{
    redis_command words{"EVALSHA", what.digest};
    words.insert(words.end(), rest.begin(), rest.end());
    for (;;) {
        co_await route_->lead(on);
        auto answer = co_await ask_there(on, words);
        if (answer.is_error() && says(answer.text, "NOSCRIPT")) {
            redis_command whole = words;
            whole[0] = "EVAL";
            whole[1] = what.text;
            answer = co_await ask_there(on, whole);
        }
        if (!answer.is_error())
            co_return answer;
        auto const pause = route_->turned_away(on, answer.text);
        if (!pause || parts_.time.now() + *pause >= on.until)
            refuse_errand(on, answer.text);
        if (*pause > duration{})
            co_await parts_.time.sleep_for(*pause);
    }
}

awaitable<redis_answer> redis_server::take(bid const& offer, redis_keys const& keys)
{
    auto on = to(keys.lock);
    redis_command const rest{"2", keys.lock, keys.tokens, offer.owner, milliseconds_of(offer.ttl)};
    auto const answer = co_await run(on, take_script(), rest);
    if (answer.list.size() != 2)
        refuse_errand(on, "not the answer of the script");
    redis_answer made;
    if (answer.list[0].number == 0) {
        if (answer.list[1].number >= 0)
            made.left = std::chrono::milliseconds{answer.list[1].number + 1};
        co_return made;
    }
    // Whoever gives up releases it; a release here might come late, and hit the next try.
    co_await confirm(on, offer.ttl);
    made.token = answer.list[1].number;
    co_return made;
}

awaitable<bool> redis_server::extend(bid const& offer, redis_keys const& keys)
{
    auto on = to(keys.lock);
    redis_command const rest{"1", keys.lock, offer.owner, milliseconds_of(offer.ttl)};
    auto const answer = co_await run(on, extend_script(), rest);
    if (answer.number != 1)
        co_return false;
    co_await confirm(on, offer.ttl);
    co_return true;
}

awaitable<bool> redis_server::release(bid const& offer, redis_keys const& keys)
{
    auto on = to(keys.lock);
    redis_command const rest{"1", keys.lock, offer.owner, keys.channel};
    auto const answer = co_await run(on, release_script(), rest);
    co_return answer.number == 1;
}

awaitable<redis_reply> redis_server::ask(redis_script const& what, redis_command const& rest,
                                         std::optional<duration> ttl)
{
    auto on = to(rest.at(1));
    auto answer = co_await run(on, what, rest);
    bool const yes = (answer.list.empty() ? answer : answer.list.front()).number == 1;
    if (ttl && yes)
        co_await confirm(on, *ttl);
    co_return answer;
}

// The server answers nothing else on this connection meanwhile.
awaitable<void> redis_server::confirm(redis_errand const& on, duration ttl)
{
    if (replicas_ == 0)
        co_return;
    auto const most = (on.until - parts_.time.now()) / 2; // where the way has cost much already
    auto const patience = std::max<duration>(1ms, std::min({parts_.limit / 4, ttl / 4, most}));
    redis_command const words{"WAIT", std::to_string(replicas_), milliseconds_of(patience)};
    auto const answer = co_await on.by->call(words, on.until);
    if (answer.is_error())
        refuse_errand(on, answer.text);
    if (answer.number < static_cast<std::int64_t>(replicas_))
        refuse_errand(on, std::to_string(answer.number) + " of " + std::to_string(replicas_) +
                              " replicas have confirmed it");
}

} // namespace baton::lock
