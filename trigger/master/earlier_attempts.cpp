#include "trigger/master/earlier_attempts.hpp"

#include "libs/base/log.hpp"
#include "trigger/master/ask_client.hpp"
#include "trigger/master/until_done.hpp"

#include <unordered_map>
#include <utility>

namespace baton::trigger {

namespace {

constexpr duration between_earlier_questions = 1s;
constexpr std::size_t most_earlier_at_once = 5'000; // executions in one question
constexpr std::size_t earlier_clients_asked = 64;   // clients at a time

} // namespace

earlier_attempts::earlier_attempts(term_scope const& scope, node_calls& calls, steps given)
    : scope_(scope), calls_(calls), steps_(std::move(given)), bell_(scope.loop), questions_(scope.loop)
{}

void earlier_attempts::add(open_execution& one, std::string client, int attempt)
{
    one.earlier_attempt = attempt;
    scope_.open.move(one, phase::runs_earlier, std::move(client));
    followed_.insert(one.id);
    bell_.wake();
}

awaitable<void> earlier_attempts::run()
{
    co_await questions_.around(look());
}

awaitable<void> earlier_attempts::look()
{
    for (;;) {
        ask_clients();
        if (followed_.empty())
            co_await bell_.wait();
        else
            co_await scope_.term.time.sleep_for(between_earlier_questions);
    }
}

void earlier_attempts::ask_clients()
{
    std::map<std::string, std::vector<protocol::attempt_key>> by_client;
    std::erase_if(followed_, [&](execution_id id) {
        auto const* one = scope_.open.find(id);
        bool const runs = one != nullptr && one->phase == phase::runs_earlier;
        if (runs && !asking_.contains(one->where))
            if (auto& attempts = by_client[one->where]; attempts.size() < most_earlier_at_once)
                attempts.push_back({id, one->attempt});
        return !runs;
    });
    for (auto& [client, attempts] : by_client)
        if (asking_.size() < earlier_clients_asked && asking_.insert(client).second)
            spawn(client, std::move(attempts));
}

void earlier_attempts::spawn(std::string const& client, std::vector<protocol::attempt_key> attempts)
{
    constexpr auto name = "a question about earlier attempts";
    auto step = [this, client, attempts = std::move(attempts)] { return ask(client, attempts); };
    questions_.spawn(name, until_done(scope_.term, name, std::move(step)));
}

awaitable<void> earlier_attempts::ask(std::string client, std::vector<protocol::attempt_key> attempts)
{
    std::optional<std::vector<protocol::held_execution>> told;
    auto const term = scope_.term.id();
    if (auto const* listed = scope_.clients.find(client)) {
        auto const home = *listed->home;
        told = co_await ask_client(calls_, home, client, term, attempts);
    }
    std::unordered_map<execution_id, std::int64_t> running;
    for (auto const& each : told.value_or(std::vector<protocol::held_execution>()))
        if (!each.finished)
            running.emplace(each.execution, each.run_ms);
    for (auto const& [id, attempt] : attempts) {
        auto* one = scope_.open.find(id);
        if (one == nullptr || one->phase != phase::runs_earlier || one->where != client || one->attempt != attempt)
            continue;
        auto const found = running.find(id);
        if (found != running.end() || !told)
            steps_.runs(*one, std::chrono::milliseconds{found == running.end() ? 0 : found->second});
        else
            steps_.over(*one);
    }
    asking_.erase(client);
}

} // namespace baton::trigger
