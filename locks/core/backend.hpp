#pragma once
// Where the kinds of one store come from: one implementation for each sort of server (backend_of, by the URL's scheme).

#include "libs/base/random.hpp"
#include "locks/core/acquisition.hpp"
#include "locks/include/baton/lock/store.hpp"

#include <memory>
#include <string>
#include <vector>

namespace baton::lock {

// What a backend is given; all of it outlives the backend. Its calls are on this loop, and its kinds' but where they
// say so.
struct backend_deps {
    asio::any_io_executor loop;
    time_source& time;
    random_source& random;
};

class backend {
public:
    virtual ~backend() = default; // ends its threads; nothing of it is in progress any more

    // Each with a name of its own; they do not outlive the backend.
    virtual std::vector<std::unique_ptr<lock_kind>> kinds() = 0;
    // Where there is nothing to prepare, or nothing is left behind, these do nothing.
    virtual awaitable<void> create_tables() = 0;
    virtual awaitable<std::size_t> reap(duration age) = 0;
};

// Throws std::invalid_argument for a URL that none understands, and where this build lacks what it would need.
std::unique_ptr<backend> open_backend(std::string const& url, store_options const& how, backend_deps parts);

std::unique_ptr<backend> open_sql_backend(std::string const& url, store_options const& how, backend_deps parts);
// Only where the build has hiredis (BATON_LOCKS_ON_REDIS).
std::unique_ptr<backend> open_redis_backend(std::string const& url, store_options const& how, backend_deps parts);
// Only where the build has zookeeper_mt (BATON_LOCKS_ON_ZOOKEEPER).
std::unique_ptr<backend> open_zookeeper_backend(std::string const& url, store_options const& how, backend_deps parts);

} // namespace baton::lock
