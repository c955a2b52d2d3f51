#pragma once
// Each kind of lock by name, on each store that it is for.

#include "locks/tests/conformance/lock_fixture.hpp"

namespace baton::test {

enum class kind_name {
    record,
    classic,
    lease,
    row,
    redis,
    redlock,
    redis_sentinel,
    redis_cluster,
    zookeeper,
    ensemble
};

struct place {
    std::optional<storage::engine> engine; // none: a server of the test run that is no database
    kind_name kind;
};

class lock_kinds_fixture : public lock_fixture {
public:
    // A row lock needs a server, and one that is alone. Without `all_kinds` those that keep a row in a table of their
    // own.
    explicit lock_kinds_fixture(bool all_kinds = true);
    explicit lock_kinds_fixture(place where);

    lock::named_lock make(lock::store& in, std::string name = "stock", lock::lock_options how = {}) const;
    lock::named_lock make(std::string name = "stock", lock::lock_options how = {});

    bool has_tokens() const { return kind != kind_name::row && kind != kind_name::redlock; }
    bool on_redis() const { return kind >= kind_name::redis && kind <= kind_name::redis_cluster; }
    lock::guarantee level() const;
    char const* table() const { return kind == kind_name::record ? "lock_record" : "lock_lease"; }
    char const* name() const;

    // Those who sleep in the server for a lock of this store.
    void await_sleepers(std::int64_t number);
    std::int64_t sleepers();

    kind_name kind;
};

} // namespace baton::test
