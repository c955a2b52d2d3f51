#include "trigger/delivery/client_probes.hpp"

namespace baton::trigger {

namespace {
// A failing client may have no probe now, because one is under way or a request decides; a failure sets its own pause.
constexpr duration look_again_after = 1s;
} // namespace

void client_probes::add(std::string const& instance)
{
    if (!probing_.insert(instance).second)
        return;
    auto const* lane = clients_.find(instance);
    line_.put({lane == nullptr ? protocol::service_key{} : lane->who().service, instance});
    start();
}

void client_probes::add_later(std::string const& instance)
{
    auto const* lane = clients_.find(instance);
    look_again(instance, lane == nullptr ? time_.now() : lane->not_before());
}

void client_probes::forget(std::string const& instance)
{
    auto const found = failing_.find(instance);
    if (found == failing_.end())
        return;
    due_.erase({found->second, instance});
    failing_.erase(found);
}

void client_probes::look_again(std::string const& instance, instant at)
{
    forget(instance);
    failing_.emplace(instance, at);
    due_.emplace(at, instance);
}

void client_probes::tick()
{
    auto const now = time_.now();
    while (!due_.empty() && due_.begin()->first <= now) {
        auto const instance = due_.begin()->second;
        auto const* lane = clients_.find(instance);
        if (lane == nullptr) {
            forget(instance);
            continue;
        }
        look_again(instance, now + look_again_after);
        if (lane->may_probe(now))
            add(instance);
    }
}

void client_probes::start()
{
    while (auto next = line_.begin())
        senders_.spawn("the probe of a client", probe(std::move(*next)));
}

awaitable<void> client_probes::probe(probe_line::probe one)
{
    auto const& instance = one.instance;
    auto const outcome = co_await calls_.probe(instance);
    line_.end(one.service);
    probing_.erase(instance);
    auto const* lane = clients_.find(instance);
    if (lane != nullptr && lane->who().address != outcome.address)
        add(instance); // it has moved meanwhile
    else if (outcome.wrong)
        calls_.failed(instance, *outcome.wrong);
    else
        calls_.proved(instance);
    start();
}

} // namespace baton::trigger
