#include "cli/zone_thread.hpp"

#include "libs/base/log.hpp"

#include <algorithm>

namespace baton::cli {

namespace {

constexpr duration between_confirmations = 5s; // of files that have changed

void offer(schedule::zone_database_pointer found)
{
    auto const before = schedule::newest_zones();
    if (before && before->version() == found->version())
        return;
    log::info("zones", before ? "a new zone database is installed" : "the zone database is read",
              {{"zones", found->version()}, {"folder", schedule::zone_folder().string()}});
    if (!before)
        schedule::use_zones({found, 0});
    schedule::offer_zones(std::move(found));
}

} // namespace

zone_thread::zone_thread(duration period) : period_(period)
{
    if (auto found = watch_.look())
        offer(std::move(found));
    thread_ = std::thread([this] { run(); });
}

zone_thread::~zone_thread()
{
    {
        std::lock_guard const lock(guard_);
        stopping_ = true;
    }
    stop_.notify_all();
    thread_.join();
}

void zone_thread::run()
{
    std::unique_lock lock(guard_);
    while (!stopping_) {
        stop_.wait_for(lock, watch_.is_pending() ? std::min(period_, between_confirmations) : period_);
        if (stopping_)
            return;
        lock.unlock();
        if (auto found = watch_.look())
            offer(std::move(found));
        lock.lock();
    }
}

} // namespace baton::cli
