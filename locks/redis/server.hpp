#pragma once
// Redis as the locks use it: one server, a master with sentinels, or a cluster. Scripts run on the server that has the
// lock's key, and one connection receives the notifications of releases. On the loop; the calls of a lock may also be
// on a thread that blocks (run_here()). Each call throws unavailable, and its effect is unknown then.

#include "locks/core/acquisition.hpp"
#include "locks/redis/connection_pool.hpp"
#include "locks/redis/release_subscription.hpp"
#include "locks/redis/route.hpp"
#include "locks/redis/scripts.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace baton::lock {

struct redis_answer {
    std::optional<std::int64_t> token; // if granted
    std::optional<duration> left;      // if another owner holds it: until its ttl ends
};

class redis_server {
public:
    // `replicas`: how many must confirm a grant or a renewal. Without their confirmation take() and extend() throw.
    redis_server(std::unique_ptr<redis_route> route, redis_connection_deps deps, std::size_t replicas = 0);

    awaitable<redis_answer> take(acquisition_request const& request, redis_keys const& keys);
    awaitable<bool> extend(acquisition_request const& request, redis_keys const& keys);
    awaitable<bool> release(acquisition_request const& request, redis_keys const& keys);

    // Runs a script. `arguments` are the number of keys, the keys and the script's arguments; the first key determines
    // the server. With a `ttl` the script is a grant or a renewal: if it answers yes (1, or a list that begins with 1),
    // the replicas must confirm it.
    awaitable<redis_reply> run(redis_script const& script, redis_command const& arguments,
                               std::optional<duration> ttl = {});

    redis_release_subscriptions& subscriptions() { return subscriptions_; }

private:
    struct script_call;
    awaitable<std::optional<redis_reply>> run_by_pool(script_call const& call);
    awaitable<redis_reply> run_by_loop(script_call const& call);
    static awaitable<redis_reply> run_at(redis_connection_base& connection, script_call const& call);
    // Throws unavailable if too few replicas confirm the write.
    awaitable<void> confirm(redis_connection_base& connection, script_call const& call, redis_reply const& answer);

    redis_connection_deps deps_;
    std::size_t replicas_;
    std::unique_ptr<redis_route> route_;
    redis_release_subscriptions subscriptions_;
    redis_connection_pool pool_;
};

} // namespace baton::lock
