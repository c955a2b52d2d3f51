#pragma once
// Semaphores and read-write locks on each store that has them.

#include "locks/tests/conformance/lock_fixture.hpp"

namespace baton::test {

class shared_locks_fixture : public lock_fixture {
public:
    struct place {
        std::optional<storage::engine> engine;
        std::string server = {}; // if there is no engine
    };

    shared_locks_fixture();
    explicit shared_locks_fixture(place where);

    // Each call makes a lock in a store of its own, like another process.
    lock::named_lock permit(std::size_t of, lock::lock_options how = {}, std::string const& name = "pool");
    lock::read_write_lock book(lock::lock_options how = {});

    lock::guarantee level() const;
    bool in_order() const;
};

// All stores at once, for tests that wait for a ttl: the waits overlap.
std::vector<std::unique_ptr<shared_locks_fixture>> every_shared_store();

} // namespace baton::test
