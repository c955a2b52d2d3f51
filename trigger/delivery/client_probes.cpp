#include "trigger/delivery/client_probes.hpp"

namespace baton::trigger {

namespace {
constexpr std::size_t probes_at_once = 200;
// A failing client may have no probe now, because one is under way or a request decides; a failure sets its own pause.
constexpr duration look_again_after = 1s;
} // namespace

void client_probes::add(std::string const& instance)
{
    if (!probing_.insert(instance).second)
        return;
    queue_.push_back(instance);
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
    while (under_way_ < probes_at_once && !queue_.empty()) {
        auto const instance = std::move(queue_.front());
        queue_.pop_front();
        ++under_way_;
        senders_.spawn("the probe of a client", probe(instance));
    }
}

awaitable<void> client_probes::probe(std::string instance)
{
    auto const outcome = co_await calls_.probe(instance);
    --under_way_;
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
