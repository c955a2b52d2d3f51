#pragma once
// Locks that several may hold at once, on each store that gives them.

#include "locks/tests/conformance/lock_fixture.hpp"

namespace baton::test {

class shared_locks_fixture : public lock_fixture {
public:
    struct place {
        std::optional<storage::engine> engine;
        std::string server = {}; // where there is no engine
    };

    shared_locks_fixture();
    explicit shared_locks_fixture(place where);

    // Each of a process of its own.
    lock::named_lock permit(std::size_t of, lock::lock_options how = {}, std::string const& name = "pool");
    lock::read_write_lock book(lock::lock_options how = {});

    lock::guarantee level() const;
    bool in_order() const;
};

} // namespace baton::test
