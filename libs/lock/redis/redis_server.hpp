#pragma once
// Redis as the locks use it, whether one server or many stand behind it: what is asked of a lock goes the way to its
// key, and one connection hears what is told of releases. On the loop only; each call throws unavailable, and its
// effect is unknown then.

#include "libs/lock/named/contender.hpp"
#include "libs/lock/redis/redis_doorbell.hpp"
#include "libs/lock/redis/redis_route.hpp"
#include "libs/lock/redis/redis_scripts.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace baton::lock {

struct redis_answer {
    std::optional<std::int64_t> token; // when it is held now
    std::optional<duration> left;      // when another holds it: his time
};

class redis_server {
public:
    // `replicas`: how many must confirm what is taken or extended. Without them both throw.
    redis_server(std::unique_ptr<redis_route> route, redis_connection_parts parts, std::size_t replicas = 0);

    awaitable<redis_answer> take(bid const& offer, redis_keys const& keys);
    awaitable<bool> extend(bid const& offer, redis_keys const& keys);
    awaitable<bool> release(bid const& offer, redis_keys const& keys);

    // Of another form of lock; `rest` is the number of keys, the keys, of which the first names the way, and the
    // arguments. Where replicas must confirm a grant, they confirm an answer of yes (1, or a list that
    // begins with it) to what is asked for a `ttl`.
    awaitable<redis_reply> ask(redis_script const& what, redis_command const& rest, std::optional<duration> ttl = {});

    redis_doorbell& doorbell() { return doorbell_; }

private:
    redis_errand to(std::string const& key) const;
    awaitable<redis_reply> run(redis_errand& on, redis_script const& what, redis_command const& rest);
    // Throws unavailable where too few replicas have confirmed what the errand has written.
    awaitable<void> confirm(redis_errand const& on, duration ttl);

    redis_connection_parts parts_;
    std::size_t replicas_;
    std::unique_ptr<redis_route> route_;
    redis_doorbell doorbell_;
};

} // namespace baton::lock
