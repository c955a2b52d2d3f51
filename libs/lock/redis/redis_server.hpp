#pragma once
// One Redis server as the locks use it: a connection for commands and one for what is told of releases, each made again
// when it is needed after a failure. On the loop only; each call throws unavailable, and its effect is unknown then.

#include "libs/lock/named/contender.hpp"
#include "libs/lock/redis/redis_doorbell.hpp"
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
    redis_server(redis_location where, redis_connection_parts parts, std::size_t replicas = 0);
    ~redis_server();

    awaitable<redis_answer> take(bid const& offer, redis_keys const& keys);
    awaitable<bool> extend(bid const& offer, redis_keys const& keys);
    awaitable<bool> release(bid const& offer, redis_keys const& keys);

    // Of another form of lock. Where replicas must confirm a grant, they confirm an answer of yes (1, or a list that
    // begins with it) to what is asked for a `ttl`.
    awaitable<redis_reply> ask(redis_script const& what, redis_command const& rest, std::optional<duration> ttl = {});

    redis_doorbell& doorbell() { return doorbell_; }
    std::string text() const { return where_.text(); }

private:
    using connection = std::shared_ptr<redis_connection>;

    connection commands();
    awaitable<redis_reply> run(connection by, redis_script const& what, redis_command const& rest);
    // Why too few replicas have confirmed what this connection has written; empty when they have.
    awaitable<std::string> replicas_missing(connection by, duration ttl);

    redis_location where_;
    redis_connection_parts parts_;
    std::size_t replicas_;
    connection commands_;
    redis_doorbell doorbell_;
};

} // namespace baton::lock
