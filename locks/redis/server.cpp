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

[[noreturn]] void fail(redis_connection_base const& connection, std::string const& reason)
{
    throw unavailable("Redis " + connection.where().text() + ": " + reason);
}

// Sends ASKING before each command, so that a node serves a key that is being migrated to it.
class asking_connection final : public redis_connection_base {
public:
    explicit asking_connection(redis_connection& connection) : connection_(connection) {}

    redis_location const& where() const override { return connection_.where(); }
    awaitable<redis_reply> call(redis_command const& words, instant until) override
    {
        connection_.send({"ASKING"});
        co_return co_await connection_.call(words, until);
    }

private:
    redis_connection& connection_;
};

// Yes is 1 or a list that begins with 1.
bool is_yes(redis_reply const& answer)
{
    return (answer.list.empty() ? answer : answer.list.front()).number == 1;
}

} // namespace

struct redis_server::script_call {
    std::string const& key() const { return arguments.at(1); }

    redis_script const& script;
    redis_command const& arguments;
    std::optional<duration> ttl;
    instant until;
};

redis_server::redis_server(std::unique_ptr<redis_route> route, redis_connection_deps deps, std::size_t replicas)
    : deps_(deps), replicas_(replicas), route_(std::move(route)), subscriptions_(*route_, deps_), pool_(deps_.time)
{}

awaitable<redis_reply> redis_server::run(redis_script const& script, redis_command const& arguments,
                                         std::optional<duration> ttl)
{
    script_call const call{script, arguments, ttl, deps_.time.now() + deps_.limit};
    if (!runs_here())
        co_return co_await run_by_loop(call);
    auto answer = co_await run_by_pool(call);
    if (!answer) {
        auto by_loop = run_by_loop(call);
        answer = co_await asio::co_spawn(deps_.loop, std::move(by_loop), asio::use_awaitable);
    }
    co_return std::move(*answer);
}

// Nothing if the loop must run it: the server executes nothing if it answers with an error, and only the route knows
// what the error means.
awaitable<std::optional<redis_reply>> redis_server::run_by_pool(script_call const& call)
{
    std::optional<redis_reply> answer;
    auto const partition = route_->partition_of(call.key());
    auto const connection = pool_.borrow(partition, call.until);
    if (!connection)
        co_return answer;
    try {
        answer = co_await run_at(*connection, call);
        if (!answer->is_error())
            co_await confirm(*connection, call, *answer);
    } catch (unavailable const&) {
        pool_.forget(partition);
        asio::post(deps_.loop, [this, key = call.key()] { route_->distrust(key); });
        throw;
    }
    if (answer->is_error()) {
        pool_.forget(partition);
        answer.reset();
    }
    co_return answer;
}

awaitable<redis_reply> redis_server::run_by_loop(script_call const& call)
{
    redis_routed_command command{call.key(), call.until};
    for (;;) {
        co_await route_->connect(command);
        auto const connection = command.connection;
        asking_connection asking(*connection);
        redis_connection_base& target = command.asking_at ? static_cast<redis_connection_base&>(asking) : *connection;
        auto answer = co_await run_at(target, call);
        if (!answer.is_error()) {
            if (!command.asking_at)
                pool_.learn(route_->partition_of(call.key()), *connection);
            co_await confirm(*connection, call, answer);
            co_return answer;
        }
        auto const pause = route_->handle_error(command, answer.text);
        if (!pause || deps_.time.now() + *pause >= command.until)
            fail(*connection, answer.text);
        if (*pause > duration{})
            co_await deps_.time.sleep_for(*pause);
    }
}

// A server that does not know the script is sent its text.
awaitable<redis_reply> redis_server::run_at(redis_connection_base& connection, script_call const& call)
{
    redis_command words{"EVALSHA", call.script.digest};
    words.insert(words.end(), call.arguments.begin(), call.arguments.end());
    auto answer = co_await connection.call(words, call.until);
    if (answer.is_error() && has_code(answer.text, "NOSCRIPT")) {
        words[0] = "EVAL";
        words[1] = call.script.text;
        answer = co_await connection.call(words, call.until);
    }
    co_return answer;
}

// The server answers nothing else on this connection meanwhile. If too few confirm, the caller releases the write; a
// release from here might arrive late and undo the next try.
awaitable<void> redis_server::confirm(redis_connection_base& connection, script_call const& call,
                                      redis_reply const& answer)
{
    if (replicas_ == 0 || !call.ttl || !is_yes(answer))
        co_return;
    auto const most = (call.until - deps_.time.now()) / 2; // if connecting took long
    auto const patience = std::max<duration>(1ms, std::min({deps_.limit / 4, *call.ttl / 4, most}));
    redis_command const words{"WAIT", std::to_string(replicas_), milliseconds_of(patience)};
    auto const confirmed = co_await connection.call(words, call.until);
    if (confirmed.is_error())
        fail(connection, confirmed.text);
    if (confirmed.number < static_cast<std::int64_t>(replicas_))
        fail(connection,
             std::to_string(confirmed.number) + " of " + std::to_string(replicas_) + " replicas have confirmed it");
}

awaitable<redis_answer> redis_server::take(acquisition_request const& request, redis_keys const& keys)
{
    redis_command const arguments{"2", keys.lock, keys.tokens, request.owner, milliseconds_of(request.ttl)};
    auto const answer = co_await run(take_script(), arguments, request.ttl);
    if (answer.list.size() != 2)
        throw unavailable("Redis: the script returned an unexpected answer");
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
    redis_command const arguments{"1", keys.lock, request.owner, milliseconds_of(request.ttl)};
    auto const answer = co_await run(extend_script(), arguments, request.ttl);
    co_return is_yes(answer);
}

awaitable<bool> redis_server::release(acquisition_request const& request, redis_keys const& keys)
{
    redis_command const arguments{"1", keys.lock, request.owner, keys.channel};
    auto const answer = co_await run(release_script(), arguments);
    co_return is_yes(answer);
}

} // namespace baton::lock
