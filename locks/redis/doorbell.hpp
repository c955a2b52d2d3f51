#pragma once
// Who waits for the release of locks on Redis, over one connection that subscribes to the locks' channels, where the
// route says. It is a hint: messages may be lost, so nobody waits for one without an end of his own. On the loop only.

#include "locks/redis/route.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>

namespace baton::lock {

class redis_doorbell {
public:
    redis_doorbell(redis_route& route, redis_connection_parts parts);
    ~redis_doorbell();
    redis_doorbell(redis_doorbell const&) = delete;
    redis_doorbell& operator=(redis_doorbell const&) = delete;

    // One that waits for one channel; the last to go ends its subscription. Does not outlive the doorbell.
    class ear {
    public:
        ear(redis_doorbell& of, std::string channel);
        ~ear();
        ear(ear const&) = delete;
        ear& operator=(ear const&) = delete;

        // Whether what is told from now on is heard.
        bool hears() const { return hears_; }
        // Makes it so, which also proves that the connection is alive. Throws unavailable.
        awaitable<void> listen();
        // Until a message, the connection's end, or `at`; after a silence it no longer takes the connection for alive.
        // Returns how many are known to have been told the same; 0 when nobody was told.
        awaitable<std::uint64_t> wait(instant at);
        // Forgets what was told since: whoever looks now knows it.
        awaitable<void> forget();

    private:
        friend class redis_doorbell;

        redis_doorbell& of_;
        std::string channel_;
        waker bell_;
        bool hears_ = false;
        std::uint64_t told_ = 0; // with the last message
    };

    std::size_t channels() const { return ears_.size(); }

private:
    awaitable<std::shared_ptr<redis_connection>> connection(instant until);
    void ring(std::string const& channel, std::string const& text);
    void ended();

    redis_route& route_;
    redis_connection_parts parts_;
    std::map<std::string, std::set<ear*>> ears_;
    std::shared_ptr<redis_connection> connection_;
};

} // namespace baton::lock
