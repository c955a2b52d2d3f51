#pragma once
// Locks that several may hold at once, on each store that gives them.

#include "locks/tests/conformance/lock_house.hpp"

namespace baton::test {

class shared_house : public lock_house {
public:
    struct place {
        std::optional<storage::engine> engine;
        std::string server = {}; // where there is no engine
    };

    shared_house();
    explicit shared_house(place where);

    // Each of a process of its own.
    lock::named_lock permit(std::size_t of, lock::lock_options how = {}, std::string const& name = "pool");
    lock::read_write_lock book(lock::lock_options how = {});

    lock::guarantee level() const;
    bool in_order() const;
};

} // namespace baton::test
