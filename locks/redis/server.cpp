#include "locks/redis/server.hpp"

#include "libs/base/run_here.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>

namespace baton::lock {

namespace {

std::string milliseconds_of(duration span)
{
    return std::to_string(std::chrono::ceil<std::chrono::milliseconds>(span).count());
}

[[noreturn]] void refuse(redis_peer const& by, std::string const& why)
{
    throw unavailable("Redis " + by.where().text() + ": " + why);
}

// One that has the key only for whoever knows that it is on its way there: ASKING is of the next command alone.
class redis_aside final : public redis_peer {
public:
    explicit redis_aside(redis_connection& by) : by_(by) {}

    redis_location const& where() const override { return by_.where(); }
    awaitable<redis_reply> call(redis_command const& words, instant until) override
    {
        by_.send({"ASKING"});
        co_return co_await by_.call(words, until);
    }

private:
    redis_connection& by_;
};

// A yes is 1, or a list that begins with it.
bool is_yes(redis_reply const& answer)
{
    return (answer.list.empty() ? answer : answer.list.front()).number == 1;
}

} // namespace

struct redis_server::question {
    std::string const& key() const { return rest.at(1); }

    redis_script const& what;
    redis_command const& rest;
    std::optional<duration> ttl;
    instant until;
};

redis_server::redis_server(std::unique_ptr<redis_route> route, redis_connection_parts parts, std::size_t replicas)
    : parts_(parts), replicas_(replicas), route_(std::move(route)), doorbell_(*route_, parts_), lines_(parts_.time)
{}

awaitable<redis_reply> redis_server::ask(redis_script const& what, redis_command const& rest,
                                         std::optional<duration> ttl)
{
    question const asked{what, rest, ttl, parts_.time.now() + parts_.limit};
    if (!runs_here())
        co_return co_await ask_by_loop(asked);
    auto answer = co_await ask_by_line(asked);
    if (!answer) {
        auto by_loop = ask_by_loop(asked);
        answer = co_await asio::co_spawn(parts_.loop, std::move(by_loop), asio::use_awaitable);
    }
    co_return std::move(*answer);
}

// Nothing when the loop is to be asked: an error executes nothing, and what it means for the way is the route's to
// know.
awaitable<std::optional<redis_reply>> redis_server::ask_by_line(question const& asked)
{
    std::optional<redis_reply> made;
    auto const place = route_->place_of(asked.key());
    auto const by = lines_.borrow(place, asked.until);
    if (!by)
        co_return made;
    try {
        made = co_await ask_there(*by, asked);
        if (!made->is_error())
            co_await confirm(*by, asked, *made);
    } catch (unavailable const&) {
        lines_.forget(place);
        asio::post(parts_.loop, [this, key = asked.key()] { route_->doubt(key); });
        throw;
    }
    if (made->is_error()) {
        lines_.forget(place);
        made.reset();
    }
    co_return made;
}

awaitable<redis_reply> redis_server::ask_by_loop(question const& asked)
{
    redis_errand on{asked.key(), asked.until};
    for (;;) {
        co_await route_->lead(on);
        auto const by = on.by;
        redis_aside aside(*by);
        redis_peer& there = on.aside ? static_cast<redis_peer&>(aside) : *by;
        auto answer = co_await ask_there(there, asked);
        if (!answer.is_error()) {
            if (!on.aside)
                lines_.learn(route_->place_of(asked.key()), *by);
            co_await confirm(*by, asked, answer);
            co_return answer;
        }
        auto const pause = route_->turned_away(on, answer.text);
        if (!pause || parts_.time.now() + *pause >= on.until)
            refuse(*by, answer.text);
        if (*pause > duration{})
            co_await parts_.time.sleep_for(*pause);
    }
}

// A server that has forgotten the script is sent it whole.
awaitable<redis_reply> redis_server::ask_there(redis_peer& by, question const& asked)
{
    redis_command words{"EVALSHA", asked.what.digest};
    words.insert(words.end(), asked.rest.begin(), asked.rest.end());
    auto answer = co_await by.call(words, asked.until);
    if (answer.is_error() && says(answer.text, "NOSCRIPT")) {
        words[0] = "EVAL";
        words[1] = asked.what.text;
        answer = co_await by.call(words, asked.until);
    }
    co_return answer;
}

// The server answers nothing else on this connection meanwhile. Whoever gives up releases what was written; a release
// here might come late, and hit the next try.
awaitable<void> redis_server::confirm(redis_peer& by, question const& asked, redis_reply const& yes)
{
    if (replicas_ == 0 || !asked.ttl || !is_yes(yes))
        co_return;
    auto const most = (asked.until - parts_.time.now()) / 2; // where the way has cost much already
    auto const patience = std::max<duration>(1ms, std::min({parts_.limit / 4, *asked.ttl / 4, most}));
    redis_command const words{"WAIT", std::to_string(replicas_), milliseconds_of(patience)};
    auto const answer = co_await by.call(words, asked.until);
    if (answer.is_error())
        refuse(by, answer.text);
    if (answer.number < static_cast<std::int64_t>(replicas_))
        refuse(by, std::to_string(answer.number) + " of " + std::to_string(replicas_) + " replicas have confirmed it");
}

awaitable<redis_answer> redis_server::take(acquisition_request const& request, redis_keys const& keys)
{
    redis_command const rest{"2", keys.lock, keys.tokens, request.owner, milliseconds_of(request.ttl)};
    auto const answer = co_await ask(take_script(), rest, request.ttl);
    if (answer.list.size() != 2)
        throw unavailable("Redis: not the answer of the script");
    redis_answer made;
    auto const value = answer.list[1].number;
    if (is_yes(answer))
        made.token = value;
    else if (value >= 0)
        made.left = std::chrono::milliseconds{value + 1};
    co_return made;
}

awaitable<bool> redis_server::extend(acquisition_request const& request, redis_keys const& keys)
{
    redis_command const rest{"1", keys.lock, request.owner, milliseconds_of(request.ttl)};
    auto const answer = co_await ask(extend_script(), rest, request.ttl);
    co_return is_yes(answer);
}

awaitable<bool> redis_server::release(acquisition_request const& request, redis_keys const& keys)
{
    redis_command const rest{"1", keys.lock, request.owner, keys.channel};
    auto const answer = co_await ask(release_script(), rest);
    co_return is_yes(answer);
}

} // namespace baton::lock
