#include "locks/redis/connection_pool.hpp"

#include "libs/base/error.hpp"

#include <algorithm>

namespace baton::lock {

namespace {

constexpr std::size_t max_connections = 16; // of a store; further threads share the loop's connection

} // namespace

std::shared_ptr<redis_blocking_connection> redis_connection_pool::borrow(unsigned partition, instant until)
{
    auto entry = find(partition);
    if (!entry)
        return nullptr;
    if (entry->connection && !entry->connection->seems_alive())
        entry->connection = nullptr;
    if (!entry->connection && !open(*entry, until)) {
        give_back(std::move(*entry));
        forget(partition);
        return nullptr;
    }
    auto* const connection = entry->connection.get();
    auto const back = [this, lent = std::make_shared<pooled>(std::move(*entry))](redis_blocking_connection*) {
        give_back(std::move(*lent));
    };
    return std::shared_ptr<redis_blocking_connection>(connection, back);
}

// An idle connection to the partition's server, or an entry without one, for which the caller may open one.
std::optional<redis_connection_pool::pooled> redis_connection_pool::find(unsigned partition)
{
    std::lock_guard const lock(mutex_);
    auto const known = targets_.find(partition);
    if (known == targets_.end())
        return std::nullopt;
    auto const fits = [&](pooled const& each) { return each.server == known->second; };
    if (auto const last = std::find_if(idle_.rbegin(), idle_.rend(), fits); last != idle_.rend()) {
        auto entry = std::move(*last);
        idle_.erase(std::next(last).base());
        entry.generation = generation_;
        return entry;
    }
    if (count_ == max_connections && idle_.empty())
        return std::nullopt;
    if (count_ == max_connections)
        idle_.erase(idle_.begin()); // the longest idle, to another server
    else
        ++count_;
    return pooled{known->second, generation_, nullptr};
}

bool redis_connection_pool::open(pooled& entry, instant until)
{
    auto const now = time_.now();
    auto const share = now + (until - now) / 4; // the rest is for the loop to try
    try {
        entry.connection =
            std::make_unique<redis_blocking_connection>(never_run_, entry.server.at, entry.server.to, time_, share);
        return true;
    } catch (std::exception const&) {
        return false; // no command was sent: the loop tries, and reports the failure
    }
}

void redis_connection_pool::give_back(pooled entry)
{
    std::lock_guard const lock(mutex_);
    if (entry.connection && entry.connection->is_open() && entry.generation == generation_)
        idle_.push_back(std::move(entry));
    else
        --count_;
}

void redis_connection_pool::learn(unsigned partition, redis_connection const& connection)
{
    auto const& at = connection.remote();
    if (!at)
        return;
    target const found{*at, connection.where()};
    std::lock_guard const lock(mutex_);
    targets_[partition] = found;
}

void redis_connection_pool::forget(unsigned partition)
{
    std::lock_guard const lock(mutex_);
    auto const known = targets_.find(partition);
    if (known == targets_.end())
        return;
    count_ -= std::erase_if(idle_, [&](pooled const& each) { return each.server == known->second; });
    targets_.erase(known);
    ++generation_;
}

} // namespace baton::lock
