#pragma once
// The blocking connections of a store. Once the loop has found the server of a partition, threads that block connect to
// it directly. The pool's knowledge may be stale: after a failure the caller forgets the partition's server and uses
// the loop.

#include "locks/redis/blocking_connection.hpp"
#include "locks/redis/connection.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace baton::lock {

class redis_connection_pool {
public:
    explicit redis_connection_pool(time_source& time) : time_(time) {}

    // Any thread. A partition is a set of keys that one server has (redis_route::partition_of).
    //
    // A connection for the caller alone; it returns to the pool with the last reference. Null if the partition's server
    // is not known or not reachable, or if all connections are in use.
    std::shared_ptr<redis_blocking_connection> borrow(unsigned partition, instant until);
    // The loop's connection has just had an answer for this partition.
    void learn(unsigned partition, redis_connection const& connection);
    void forget(unsigned partition);

private:
    struct target {
        asio::ip::tcp::endpoint at;
        redis_location to;
        bool operator==(target const&) const = default;
    };
    struct pooled {
        target server;
        unsigned generation; // when it was lent
        std::unique_ptr<redis_blocking_connection> connection;
    };

    std::optional<pooled> find(unsigned partition);
    bool open(pooled& entry, instant until);
    void give_back(pooled entry);

    time_source& time_;
    asio::io_context never_run_;         // owns the sockets
    std::mutex mutex_;                   // protects the members below
    std::map<unsigned, target> targets_; // by partition
    std::vector<pooled> idle_;
    std::size_t count_ = 0;   // idle or in use
    unsigned generation_ = 0; // rises when a server is forgotten: connections lent before are not reused
};

} // namespace baton::lock
