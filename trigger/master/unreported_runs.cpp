#include "trigger/master/unreported_runs.hpp"

#include "trigger/master/ask_client.hpp"
#include "trigger/master/until_done.hpp"

#include <map>
#include <unordered_map>
#include <utility>

namespace baton::trigger {

namespace {
constexpr duration between_looks_at_unreported = 500ms;
constexpr std::size_t unreported_at_once = 1'000;    // executions, in one step of the loop
constexpr std::size_t unreported_clients_asked = 64; // at a time
} // namespace

unreported_runs::unreported_runs(term_scope const& scope, node_calls& calls, steps given)
    : scope_(scope), calls_(calls), steps_(std::move(given)), questions_(scope.loop)
{}

awaitable<void> unreported_runs::run()
{
    asking_.clear(); // of a run that has failed
    co_await questions_.around(look());
}

awaitable<void> unreported_runs::look()
{
    for (;;) {
        ask_clients();
        co_await scope_.term.time.sleep_for(between_looks_at_unreported);
    }
}

void unreported_runs::ask_clients()
{
    std::map<std::string, std::vector<protocol::attempt_key>> by_client;
    for (auto const id : scope_.open.take_unreported(unreported_at_once)) {
        auto const* one = scope_.open.find(id);
        by_client[one->where].push_back({id, one->attempt});
    }
    for (auto& [client, attempts] : by_client) {
        if (asking_.size() < unreported_clients_asked && asking_.insert(client).second) {
            spawn(client, std::move(attempts));
            continue;
        }
        for (auto const& which : attempts)
            scope_.open.ask_soon(*scope_.open.find(which.execution));
    }
}

void unreported_runs::spawn(std::string const& client, std::vector<protocol::attempt_key> attempts)
{
    constexpr auto name = "a question about unreported runs";
    auto step = [this, client, attempts = std::move(attempts)] { return ask(client, attempts); };
    questions_.spawn(name, until_done(scope_.term, name, std::move(step)));
}

awaitable<void> unreported_runs::ask(std::string client, std::vector<protocol::attempt_key> attempts)
{
    std::optional<std::vector<protocol::held_execution>> told;
    auto const term = scope_.term.id();
    if (auto const* listed = scope_.clients.find(client)) {
        auto const home = *listed->home;
        told = co_await ask_client(calls_, home, client, term, attempts);
    }
    asking_.erase(client);
    if (!told)
        co_return;
    std::unordered_map<execution_id, protocol::held_execution const*> known;
    for (auto const& each : *told)
        known.emplace(each.execution, &each);
    for (auto const& which : attempts) {
        auto const found = known.find(which.execution);
        settle(client, which, found == known.end() ? nullptr : found->second);
    }
}

// An execution that has not begun is asked about again later, and one that has failed until its result comes. The
// latter is lost if no result comes within results_come_within.
void unreported_runs::settle(std::string const& client, protocol::attempt_key const& which,
                             protocol::held_execution const* told)
{
    auto* one = scope_.open.find(which.execution);
    if (one == nullptr || one->phase != phase::held || one->where != client || one->attempt != which.attempt)
        return;
    auto const now = scope_.term.time.now();
    bool const failed = told != nullptr && told->finished && !told->succeeded;
    if (failed)
        scope_.open.expect_result(*one);
    if (told == nullptr || (failed && one->result_is_lost(now)))
        steps_.lost(*one);
    else if (!told->finished && told->run_ms > 0)
        steps_.runs(*one, std::chrono::milliseconds{told->run_ms});
}

} // namespace baton::trigger
