#pragma once
// Redis as the locks use it, whether one server or many stand behind it: what is asked of a lock goes the way to its
// key, and one connection hears what is told of releases. On the loop, but for what is asked of a lock: that may also
// be on a thread that waits (run_here()). Each call throws unavailable, and its effect is unknown then.

#include "locks/core/acquisition.hpp"
#include "locks/redis/doorbell.hpp"
#include "locks/redis/lines.hpp"
#include "locks/redis/route.hpp"
#include "locks/redis/scripts.hpp"

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

    awaitable<redis_answer> take(acquisition_request const& request, redis_keys const& keys);
    awaitable<bool> extend(acquisition_request const& request, redis_keys const& keys);
    awaitable<bool> release(acquisition_request const& request, redis_keys const& keys);

    // Of any form of lock; `rest` is the number of keys, the keys, of which the first names the way, and the
    // arguments. Where replicas must confirm a grant, they confirm an answer of yes (1, or a list that
    // begins with it) to what is asked for a `ttl`.
    awaitable<redis_reply> ask(redis_script const& what, redis_command const& rest, std::optional<duration> ttl = {});

    redis_doorbell& doorbell() { return doorbell_; }

private:
    struct question;
    awaitable<std::optional<redis_reply>> ask_by_line(question const& asked);
    awaitable<redis_reply> ask_by_loop(question const& asked);
    static awaitable<redis_reply> ask_there(redis_peer& by, question const& asked);
    // Throws unavailable where too few replicas have confirmed what was written.
    awaitable<void> confirm(redis_peer& by, question const& asked, redis_reply const& yes);

    redis_connection_parts parts_;
    std::size_t replicas_;
    std::unique_ptr<redis_route> route_;
    redis_doorbell doorbell_;
    redis_lines lines_;
};

} // namespace baton::lock
