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
    known_ = all;
    if (changed_)
        changed_(known_);
}

awaitable<void> settings_watch::run()
{
    auto const step = [this] { return read(); };
    co_await every("reading the settings of services", scope_.term.time, look_at_settings, step);
}

} // namespace baton::trigger
