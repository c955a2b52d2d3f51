#include "trigger/master/client_directory.hpp"

#include "libs/base/error.hpp"
#include "libs/base/log.hpp"
#include "libs/base/outage.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace baton::trigger {

namespace {
constexpr duration reading_pause = 1s;
constexpr duration first_again = 50ms; // while the first reading fails
constexpr std::size_t listed_at_once = 2'000;
constexpr std::size_t buried_at_once = 500; // clients of a node that is gone

auto place_of(std::vector<listed_client const*>& all, std::string_view instance)
{
    auto const before = [](listed_client const* one, std::string_view name) { return one->instance() < name; };
    return std::lower_bound(all.begin(), all.end(), instance, before);
}

} // namespace

client_directory::client_directory(storage::database& shared, time_source& time, asio::any_io_executor loop)
    : table_(shared), time_(time), read_(loop), bell_(std::move(loop))
{}

awaitable<void> client_directory::run()
{
    for (;;) {
        try {
            if (!changes_.unchanged(time_.now()))
                co_await refresh();
        } catch (unavailable const& reason) {
            log::outage(reason, "clients", "reading the clients of the cluster failed, trying again",
                        {log::reason(reason.what())});
        }
        co_await bell_.wait_until(time_, time_.now() + (changes_.begun() ? reading_pause : first_again));
    }
}

awaitable<void> client_directory::refresh()
{
    while (reading_all_)
        co_await read_.wait();
    if (changes_.begun())
        co_await read_changes();
    else
        co_await read_all();
}

void client_directory::note(utc_time last_change, utc_time now, instant asked)
{
    if (changes_.note(last_change, now, asked))
        bell_.wake();
}

awaitable<void> client_directory::read_all()
{
    reading_all_ = true;
    std::shared_ptr<void> const done(nullptr, [this](void*) {
        reading_all_ = false;
        read_.wake();
    });
    auto const asked = time_.now();
    std::optional<utc_time> until;
    std::string after;
    for (bool more = true; more;) {
        auto const page = co_await table_.list(after, listed_at_once);
        until = until.value_or(page.now);
        more = page.clients.size() == listed_at_once;
        if (more)
            after = page.clients.back().instance;
        for (auto const& listed : page.clients)
            put(listed);
    }
    drop_slack();
    changes_.was_read(*until, asked);
}

// The lists have grown by doubling.
void client_directory::drop_slack()
{
    for (auto& [service, clients] : services_)
        clients.shrink_to_fit();
}

awaitable<void> client_directory::read_changes()
{
    auto const asked = time_.now();
    auto since = changes_.from();
    std::optional<utc_time> until;
    std::string after;
    for (bool more = true; more;) {
        auto const page = co_await table_.changed_since(since, after, listed_at_once);
        until = until.value_or(page.now);
        more = page.clients.size() == listed_at_once;
        if (more) {
            since = page.clients.back().changed_at;
            after = page.clients.back().instance;
        }
        for (auto const& listed : page.clients)
            apply(listed);
    }
    changes_.was_read(*until, asked);
}

void client_directory::apply(storage::client_listing const& listed)
{
    if (listed.state != storage::client_state::gone)
        return put(listed);
    if (find(listed.instance) == nullptr)
        return;
    gone(listed.instance);
    if (gone_)
        gone_(listed.instance);
}

void client_directory::put(storage::client_listing const& listed)
{
    bool const draining = listed.drained || listed.state == storage::client_state::draining;
    bool const takes_work = !draining && listed.state == storage::client_state::up && !listed.unreachable;
    if (auto const* known = find(listed.instance); // rows are read more than once
        known != nullptr && protocol::service_of(listed) == *known->service && *known->home == listed.node &&
        *known->handlers->text == listed.handlers && known->takes_work == takes_work && known->draining == draining &&
        known->places == listed.places)
        return;
    remove(listed.instance);
    auto& client = clients_.add(listed.instance);
    auto const service = services_.try_emplace({listed.project, listed.service}).first;
    client.service = &service->first;
    service->second.insert(place_of(service->second, listed.instance), &client);
    auto const home = homes_.try_emplace(listed.node).first;
    ++home->second;
    client.home = &home->first;
    client.handlers = &handlers_of(listed.handlers);
    client.takes_work = takes_work;
    client.draining = draining;
    client.places = listed.places;
    demands_.joined(client);
    ++changed_;
    if (watcher_)
        watcher_(listed.instance);
}

void client_directory::gone(std::string const& instance)
{
    if (find(instance) == nullptr)
        return;
    remove(instance);
    if (watcher_)
        watcher_(instance);
}

void client_directory::remove(std::string const& instance)
{
    auto const* known = clients_.find(instance);
    if (known == nullptr)
        return;
    auto const& client = *known;
    demands_.left(client);
    auto const service = services_.find(*client.service);
    service->second.erase(place_of(service->second, instance));
    if (service->second.empty())
        services_.erase(service);
    if (auto const home = homes_.find(*client.home); --home->second == 0)
        homes_.erase(home);
    if (auto const set = handlers_.find(*client.handlers->text); --set->second.clients == 0)
        handlers_.erase(set);
    clients_.erase(instance);
    ++changed_;
}

handler_set& client_directory::handlers_of(std::string const& text)
{
    auto const [entry, fresh] = handlers_.try_emplace(text);
    auto& set = entry->second;
    if (fresh) {
        set.text = &entry->first;
        set.names = nlohmann::json::parse(text).get<std::set<std::string, std::less<>>>();
    }
    ++set.clients;
    return set;
}

// In groups, so that neither a transaction nor a step of the loop grows with their number.
awaitable<void> client_directory::bury_heard_by(std::string node)
{
    for (bool more = true; more;) {
        auto const buried = co_await table_.bury_heard_by(node, buried_at_once);
        for (auto const& instance : buried) {
            log::info("clients", "a client is gone with its home", {{"client", instance}});
            gone(instance);
            if (gone_)
                gone_(instance);
        }
        more = !buried.empty();
    }
}

listed_client const* client_directory::find(std::string const& instance) const
{
    return clients_.find(instance);
}

std::span<listed_client const* const> client_directory::behind(protocol::service_view service, std::string_view after,
                                                               std::size_t most) const
{
    auto const& all = of_service(service);
    auto const before = [](std::string_view name, listed_client const* one) { return name < one->instance(); };
    auto const from = std::upper_bound(all.begin(), all.end(), after, before);
    auto const left = static_cast<std::size_t>(all.end() - from);
    return std::span(all).last(left).first(std::min(left, most));
}

std::vector<listed_client const*> const& client_directory::of_service(protocol::service_view service) const
{
    static std::vector<listed_client const*> const none;
    auto const found = services_.find(service);
    return found == services_.end() ? none : found->second;
}

} // namespace baton::trigger
