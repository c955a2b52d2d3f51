#include "web/zone_follower.hpp"

#include "libs/base/log.hpp"
#include "libs/base/loop.hpp"
#include "libs/schedule/zones.hpp"

#include <algorithm>

namespace baton::web {

namespace {
constexpr duration longest_look = 5s; // so that a line is known before it comes
}

awaitable<void> zone_follower::run()
{
    auto const step = [this]() -> awaitable<void> { co_await look(); };
    co_await every("following the zone database of the cluster", time_, std::min(period_, longest_look), step);
}

awaitable<void> zone_follower::look()
{
    auto const newest = schedule::newest_zones();
    if (!newest)
        co_return;
    auto const versions = co_await table_.list(1);
    if (versions.empty())
        co_return;
    auto const& present = versions.front();
    auto const used = schedule::zones();
    if (present.name == newest->version()) {
        told_.clear();
        if (used.version != present.version)
            schedule::take_over_zones(newest, present.changed, present.valid_from, present.version);
        co_return;
    }
    if (used.database->version() == present.name) // newer files, which the master has not taken up yet
        co_return;
    if (used.version != 0)
        schedule::use_zones({newest, 0});
    if (std::exchange(told_, present.name) != present.name)
        log::warn("zones",
                  "this web has another zone database than the master: it shows firings by its own; install the same "
                  "tzdata on all machines",
                  {{"zones", newest->version()}, {"zones_of_cluster", present.name}});
}

} // namespace baton::web
