#include "trigger/clients/registry.hpp"

// Departures and burials of clients.

#include "libs/base/error.hpp"
#include "libs/base/log.hpp"

#include <algorithm>
#include <exception>
#include <span>

namespace baton::trigger {

namespace {

// A gone instance cannot come back: nodes remember it, and its row is kept for longer than that.
constexpr duration remember_gone = 20min;
constexpr duration keep_gone = 1h;
constexpr duration purge_every = 10min;
constexpr duration keep_schemas = 24h;    // for schemas that no client names
constexpr std::size_t ends_at_once = 500; // written in one group

storage::client_write make_end(storage::client_write::kind what, storage::registered_client const& client,
                               std::string const& home = {})
{
    storage::client_write end;
    end.what = what;
    end.row.instance = client.instance;
    end.row.generation = client.generation;
    end.row.node = home;
    return end;
}

} // namespace

awaitable<void> registry::leave(protocol::leave_request request)
{
    auto const instance = request.instance;
    auto const* known = find(instance);
    if (known != nullptr && known->row.generation > request.generation)
        co_return; // it has come back since
    auto end = make_end(storage::client_write::kind::leave, {instance, request.generation});
    if (known == nullptr) {
        end.row.secret = request.secret;
        auto const written = co_await writer_.write(std::move(end), {});
        if (written.kept && departure_)
            departure_(instance, written.node_before);
        co_return;
    }
    report_gone(instance); // before the write: from now on this node sends nothing
    left_.emplace(instance, request.generation);
    co_await writer_.write(std::move(end), {});
    left_.erase(instance);
}

// Writes departures that the database could not take: readers of the row wait for them.
awaitable<void> registry::write_departures()
{
    auto const waiting = left_;
    for (auto next = waiting.begin(); next != waiting.end();) {
        client_writer::group group;
        for (; next != waiting.end() && group.size() < ends_at_once; ++next)
            group.push_back(make_end(storage::client_write::kind::leave, {next->first, next->second}));
        std::vector<std::string> written;
        for (auto const& one : group)
            written.push_back(one.row.instance);
        co_await writer_.write_own(std::move(group), {});
        for (auto const& instance : written)
            left_.erase(instance);
    }
}

// Returns those whose rows are marked as gone. `wanted` (may be empty) is asked when their turn comes.
awaitable<std::vector<std::string>> registry::bury_in_groups(std::vector<storage::registered_client> which,
                                                             client_writer::filter wanted)
{
    std::vector<std::string> buried;
    std::exception_ptr failure;
    try {
        for (std::span<storage::registered_client const> left(which); !left.empty();) {
            auto const part = left.first(std::min(left.size(), ends_at_once));
            left = left.subspan(part.size());
            client_writer::group group;
            for (auto const& one : part)
                group.push_back(make_end(storage::client_write::kind::bury, one, self_));
            auto const written = co_await writer_.write_own(std::move(group), wanted);
            for (std::size_t i = 0; i < part.size(); ++i)
                if (written[i].kept)
                    buried.push_back(part[i].instance);
        }
    } catch (unavailable const&) {
        failure = std::current_exception();
    }
    if (failure && buried.empty())
        std::rethrow_exception(failure);
    co_return buried; // the next round takes those that were not reached
}

awaitable<void> registry::bury_silent()
{
    auto const now = time_.now();
    if (now < silent_from_)
        co_return;
    if (now - answered_at_ > longest_gap) // this node stood still: the next round notes it
        co_return;
    std::vector<storage::registered_client> silent;
    auto next = now + settings_.ttl();
    for (auto const& [instance, client] : clients_) {
        ++looks_;
        auto const until = std::max(client.heard_at, listening_since_) + settings_.ttl();
        if (now > until)
            silent.push_back({instance, client.row.generation});
        else
            next = std::min(next, until);
    }
    if (!silent.empty())
        co_await bury_those(std::move(silent), now);
    silent_from_ = next;
}

// All are reported at the end, so that the other nodes learn of many deaths by one message.
awaitable<void> registry::bury_those(std::vector<storage::registered_client> silent, instant now)
{
    auto const still_silent = [this, now](storage::client_write const& one) {
        auto const* known = find(one.row.instance);
        return known == nullptr || known->heard_at <= now;
    };
    auto const buried = co_await bury_in_groups(silent, still_silent);
    for (auto const& instance : buried) {
        if (auto const* known = find(instance);
            known != nullptr && known->refused && known->refused->at > known->heard_at)
            log::warn(
                "clients",
                "a client counts as gone: no valid heartbeat came within its ttl, and a message since the last one was "
                "refused",
                {log::reason(known->refused->why), {"path", known->refused->path}, {"client", instance}});
        else
            log::warn("clients", "a client was silent for its ttl, it counts as gone",
                      {{"client", instance}, {"ms", settings_.ttl() / 1ms}});
        report_gone(instance);
    }
    for (auto const& [instance, generation] : silent) // those that another node has adopted
        if (auto const* known = find(instance); known != nullptr && known->heard_at <= now &&
                                                known->written_at <= now && known->row.generation == generation)
            lose(instance);
}

void registry::bury(std::string const& instance, std::string const& why)
{
    to_bury_.try_emplace(instance, burial{why});
}

// True if the caller is the client itself, which learns by the answer that it counts as gone.
bool registry::tell_hopeless(protocol::register_request const& request)
{
    auto const found = to_bury_.find(request.instance);
    auto const* known = find(request.instance);
    if (found == to_bury_.end() || known == nullptr || known->row.secret != request.secret)
        return false;
    found->second.told = true;
    bell_.wake();
    return true;
}

awaitable<void> registry::bury_hopeless()
{
    std::erase_if(to_bury_, [this](auto const& entry) { return !hears(entry.first); });
    std::map<std::string, burial> told;
    std::vector<storage::registered_client> hopeless;
    for (auto const& [instance, one] : to_bury_)
        if (one.told) {
            told.emplace(instance, one);
            hopeless.push_back({instance, find(instance)->row.generation});
        }
    if (told.empty())
        co_return;
    auto const buried = co_await bury_in_groups(std::move(hopeless), {});
    for (auto const& [instance, one] : told)
        to_bury_.erase(instance);
    for (auto const& instance : buried) {
        log::warn("clients", "a client is declared gone", {log::reason(told.at(instance).why), {"client", instance}});
        report_gone(instance);
    }
}

awaitable<void> registry::purge()
{
    std::erase_if(buried_, [&](auto const& entry) { return time_.now() - entry.second > remember_gone; });
    if (time_.now() - purged_at_ > purge_every) {
        purged_at_ = time_.now();
        co_await table_.purge(keep_gone);
        schema_writer_.forget_old();
        co_await schemas_.purge(keep_schemas);
    }
}

} // namespace baton::trigger
