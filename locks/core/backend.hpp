#pragma once
// The interface between a store and one sort of server. The scheme of the store's URL selects the implementation.
// docs/locks.md says which files another server needs.

#include "libs/base/random.hpp"
#include "locks/core/acquisition.hpp"
#include "locks/core/url_parameters.hpp"
#include "locks/include/baton/lock/store.hpp"

#include <memory>
#include <string>
#include <vector>

namespace baton::lock {

// Passed to a backend; all of it outlives the backend. Calls of a backend are on this loop.
struct backend_deps {
    asio::any_io_executor loop;
    time_source& time;
    random_source& random;
};

class backend {
public:
    // Ends the backend's threads. No call is in progress any more.
    virtual ~backend() = default;

    // The kinds of lock of this server, with different names. The first is the one that store::lock(name) makes. They
    // do not outlive the backend.
    virtual std::vector<std::unique_ptr<lock_kind>> kinds() = 0;
    // These do nothing on a server that needs no tables, or on which nothing is left behind.
    virtual awaitable<void> create_tables() = 0;
    virtual awaitable<std::size_t> reap(duration age) = 0;
};

// Throws std::invalid_argument for an unknown URL, and for a server that this build lacks.
std::unique_ptr<backend> open_backend(std::string const& url, store_options const& options, backend_deps deps);

std::unique_ptr<backend> open_sql_backend(std::string const& url, store_options const& options, backend_deps deps);
// These take a URL without its parameters.
//
// Only if the build has hiredis (BATON_LOCKS_ON_REDIS).
std::unique_ptr<backend> open_redis_backend(std::string const& url, url_parameters const& parameters,
                                            store_options const& options, backend_deps deps);
// Only if the build has zookeeper_mt (BATON_LOCKS_ON_ZOOKEEPER).
std::unique_ptr<backend> open_zookeeper_backend(std::string const& url, url_parameters const& parameters,
                                                store_options const& options, backend_deps deps);

} // namespace baton::lock
