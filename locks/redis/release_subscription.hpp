#pragma once
// Notifications of released locks on Redis. One connection subscribes to the channels of all locks that a store waits
// for, at the server that the route names. A message may be lost, so every wait also has a time limit. On the loop
// only.

#include "locks/redis/route.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>

namespace baton::lock {

class redis_release_subscriptions {
public:
    redis_release_subscriptions(redis_route& route, redis_connection_deps deps);
    ~redis_release_subscriptions();
    redis_release_subscriptions(redis_release_subscriptions const&) = delete;
    redis_release_subscriptions& operator=(redis_release_subscriptions const&) = delete;

    // A waiter on one channel. The last waiter to go unsubscribes from the channel. The owner must outlive it.
    class subscription {
    public:
        subscription(redis_release_subscriptions& owner, std::string channel);
        ~subscription();
        subscription(subscription const&) = delete;
        subscription& operator=(subscription const&) = delete;

        // True if every message from now on arrives, as far as is known.
        bool is_active() const { return active_; }
        // Subscribes, which also proves that the connection is alive. Throws unavailable.
        awaitable<void> subscribe();
        // Waits for a message, the end of the connection, or `until`. Without a message it becomes inactive, since the
        // connection may be dead. Returns how many waiters are known to have received the message; 0 without one.
        awaitable<std::uint64_t> wait(instant until);
        // Forgets a message that has arrived since: the next look at the lock finds out the same.
        awaitable<void> clear();

    private:
        friend class redis_release_subscriptions;

        redis_release_subscriptions& owner_;
        std::string channel_;
        waker changed_;
        bool active_ = false;
        std::uint64_t receivers_ = 0; // of the last message
    };

    std::size_t channels() const { return waiting_.size(); }

private:
    awaitable<std::shared_ptr<redis_connection>> connection(instant until);
    void deliver(std::string const& channel, std::string const& text);
    void connection_ended();

    redis_route& route_;
    redis_connection_deps deps_;
    std::map<std::string, std::set<subscription*>> waiting_; // by channel
    std::shared_ptr<redis_connection> connection_;
};

} // namespace baton::lock
