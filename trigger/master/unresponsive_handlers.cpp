#include "trigger/master/unresponsive_handlers.hpp"

#include "libs/base/error.hpp"
#include "libs/base/log.hpp"
#include "trigger/master/ask_client.hpp"
#include "trigger/master/until_done.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace baton::trigger {

namespace {

constexpr duration between_questions = 2s;
constexpr duration load_again = 200ms;            // after the database did not answer
constexpr std::size_t most_asked_at_once = 1'000; // executions in one question
constexpr std::size_t clients_asked = 64;         // clients at a time
constexpr std::size_t rows_noted_at_once = 200;   // in a transaction

} // namespace

unresponsive_handlers::unresponsive_handlers(term_scope const& scope, node_calls& calls, task_book& book,
                                             listeners notify)
    : scope_(scope), calls_(calls), book_(book), notify_(std::move(notify)), questions_(scope.loop)
{}

void unresponsive_handlers::expect(storage::unresponsive_attempt const& one)
{
    handlers_[one.id] = {one.runs(), one.client, scope_.term.time.now(), false};
}

void unresponsive_handlers::add(storage::unresponsive_attempt const& one)
{
    handlers_[one.id] = {one.runs(), one.client, scope_.term.time.now()};
}

void unresponsive_handlers::outlives(storage::unresponsive_attempt one)
{
    expect(one);
    to_write_.push_back(std::move(one));
}

void unresponsive_handlers::drop(execution_id id)
{
    handlers_.erase(id);
    if (scope_.open.find(id) == nullptr)
        notify_.forgotten(id);
}

std::vector<execution_id> unresponsive_handlers::written() const
{
    std::vector<execution_id> ids;
    for (auto const& [id, one] : handlers_)
        if (one.written)
            ids.push_back(id);
    return ids;
}

awaitable<void> unresponsive_handlers::load()
{
    std::vector<storage::unresponsive_row> rows;
    for (bool done = false; !done;) {
        try {
            rows = co_await scope_.ledger.unresponsive();
            done = true;
        } catch (unavailable const& reason) {
            log::warn("handlers", "reading the unresponsive handlers failed, trying again in 200 ms",
                      {log::reason(reason.what())});
        }
        if (!done)
            co_await scope_.term.time.sleep_for(load_again);
    }
    for (auto const& row : rows) {
        handlers_[row.id] = {row.attempt, row.client, scope_.term.time.now()};
        try {
            notify_.found(row, *book_.get(row.task, row.version, row.definition, std::nullopt));
        } catch (invalid_input const& failure) { // it has no limit then that this program could read
            log::warn("handlers", "the task of an unresponsive handler cannot be read",
                      {log::reason(failure.what()), {"execution", row.id.value()}});
        }
    }
}

awaitable<void> unresponsive_handlers::run()
{
    asking_.clear(); // after a failure, whose questions were cancelled
    co_await questions_.around(look());
}

awaitable<void> unresponsive_handlers::look()
{
    for (;;) {
        co_await scope_.term.time.sleep_for(between_questions);
        if (handlers_.empty())
            continue;
        try {
            co_await scope_.term.until_active(transaction_need);
            co_await write_rows();
            co_await take_released();
            ask_clients();
        } catch (unavailable const& reason) {
            log::warn("handlers", "reading which unresponsive handlers were released failed, trying again in 2 s",
                      {log::reason(reason.what())});
        }
    }
}

awaitable<void> unresponsive_handlers::write_rows()
{
    while (!to_write_.empty()) {
        auto const count = std::min(to_write_.size(), rows_noted_at_once);
        std::vector<storage::unresponsive_attempt> const some(to_write_.begin(),
                                                              to_write_.begin() + static_cast<std::ptrdiff_t>(count));
        co_await scope_.ledger.note_unresponsive(scope_.term.fence, some);
        to_write_.erase(to_write_.begin(), to_write_.begin() + static_cast<std::ptrdiff_t>(count));
        for (auto const& one : some)
            add(one);
    }
}

awaitable<void> unresponsive_handlers::take_released()
{
    auto ids = written();
    auto const left = co_await scope_.ledger.still_unresponsive(ids);
    std::set<execution_id> const standing(left.begin(), left.end());
    std::erase_if(ids, [&](auto id) { return standing.contains(id); });
    if (!ids.empty())
        co_await forget(std::move(ids), "a person released it");
}

void unresponsive_handlers::ask_clients()
{
    std::map<std::string, std::vector<execution_id>> by_client;
    for (auto const id : written()) {
        auto const& client = handlers_.at(id).client;
        if (auto& ids = by_client[client]; ids.size() < most_asked_at_once && !asking_.contains(client))
            ids.push_back(id);
    }
    for (auto& [client, ids] : by_client)
        if (!ids.empty() && asking_.size() < clients_asked && asking_.insert(client).second)
            spawn(client, std::move(ids));
}

void unresponsive_handlers::spawn(std::string const& client, std::vector<execution_id> ids)
{
    constexpr auto name = "a question about unresponsive handlers";
    auto step = [this, client, ids = std::move(ids)] { return ask(client, ids); };
    questions_.spawn(name, until_done(scope_.term, name, std::move(step)));
}

awaitable<void> unresponsive_handlers::ask(std::string client, std::vector<execution_id> ids)
{
    std::erase_if(ids, [this](auto id) { return !handlers_.contains(id); }); // since an earlier try
    auto const why = ids.empty() ? nullptr : co_await look_for_ends(client, ids);
    if (!ids.empty())
        co_await forget(ids, why);
    asking_.erase(client);
}

// Leaves in `ids` those that have ended; returns the reason.
awaitable<char const*> unresponsive_handlers::look_for_ends(std::string const& client, std::vector<execution_id>& ids)
{
    auto const* listed = scope_.clients.find(client);
    if (listed == nullptr) {
        auto const found = handlers_.find(ids.front());
        if (found == handlers_.end() || scope_.clients.read_at() <= found->second.since)
            ids.clear();
        co_return "its client is gone";
    }
    std::vector<protocol::attempt_key> attempts;
    attempts.reserve(ids.size());
    for (auto const id : ids)
        attempts.push_back({id, handlers_.at(id).attempt});
    auto const home = *listed->home;
    auto const term = scope_.term.id();
    auto const told = co_await ask_client(calls_, home, client, term, std::move(attempts));
    std::set<execution_id> running;
    if (!told)
        running.insert(ids.begin(), ids.end());
    else
        for (auto const& held : *told)
            if (!held.finished)
                running.insert(held.execution);
    std::erase_if(ids, [&](auto id) { return running.contains(id); });
    if (!running.empty()) { // not asked yet if a limit ended the execution, or not heard
        std::vector<execution_id> to_stop(running.begin(), running.end());
        co_await calls_.cancel(client, std::move(to_stop));
    }
    co_return "its handler has returned";
}

awaitable<void> unresponsive_handlers::forget(std::vector<execution_id> ids, std::string why)
{
    co_await scope_.ledger.forget_unresponsive(scope_.term.fence, ids);
    for (auto const id : ids) {
        log::info("handlers", "an unresponsive handler counts no more", {log::reason(why), {"execution", id.value()}});
        handlers_.erase(id);
        notify_.forgotten(id);
    }
}

} // namespace baton::trigger
