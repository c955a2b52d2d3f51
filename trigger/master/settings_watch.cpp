#include "trigger/master/settings_watch.hpp"

namespace baton::trigger {

namespace {
constexpr duration look_at_settings = 1s; // at the ledger, besides the signals
}

awaitable<void> settings_watch::read()
{
    auto const asked = scope_.term.time.now();
    auto const all = co_await scope_.ledger.settings();
    learn(all, asked);
}

void settings_watch::learn(list const& all, instant asked)
{
    if (asked < asked_)
        return;
    asked_ = asked;
    if (all == known_)
        return;
    if (changed_)
        changed_(all);
    known_ = all; // afterwards: what failed is tried again at the next reading
}

awaitable<void> settings_watch::run()
{
    auto const step = [this] { return read(); };
    co_await every("reading the settings of services", scope_.term.time, look_at_settings, step);
}

} // namespace baton::trigger
