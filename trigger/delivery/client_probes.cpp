#include "trigger/delivery/client_probes.hpp"

namespace baton::trigger {

namespace {
constexpr std::size_t most_at_once = 200;
}

void client_probes::add(std::string const& instance)
{
    if (!probing_.insert(instance).second)
        return;
    queue_.push_back(instance);
    start();
}

void client_probes::tick()
{
    auto const now = time_.now();
    for (auto const& instance : failing_)
        if (auto const* lane = clients_.find(instance); lane != nullptr && lane->may_probe(now))
            add(instance);
}

void client_probes::start()
{
    while (under_way_ < most_at_once && !queue_.empty()) {
        auto const instance = std::move(queue_.front());
        queue_.pop_front();
        ++under_way_;
        senders_.spawn("the probe of a client", probe(instance));
    }
}

awaitable<void> client_probes::probe(std::string instance)
{
    auto const outcome = co_await stub_.probe(instance);
    --under_way_;
    probing_.erase(instance);
    auto const* lane = clients_.find(instance);
    if (lane != nullptr && lane->who().address != outcome.address)
        add(instance); // it has moved meanwhile
    else if (outcome.wrong)
        notify_.failed(instance, *outcome.wrong);
    else
        notify_.proved(instance);
    start();
}

} // namespace baton::trigger
