#pragma once
// Each kind of lock on each store that has it.

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
    std::optional<storage::engine> engine; // none: a server that is not a database
    kind_name kind;
};

class lock_kinds_fixture : public lock_fixture {
public:
    // Runs the test case for each kind. A row lock needs a single database server. Without `all_kinds` only the kinds
    // that keep a row in a table of their own.
    explicit lock_kinds_fixture(bool all_kinds = true);
    explicit lock_kinds_fixture(place where);

    lock::named_lock make(lock::store& in, std::string name = "stock", lock::lock_options how = {}) const;
    lock::named_lock make(std::string name = "stock", lock::lock_options how = {});

    bool has_tokens() const { return kind != kind_name::row && kind != kind_name::redlock; }
    bool on_redis() const { return kind >= kind_name::redis && kind <= kind_name::redis_cluster; }
    lock::guarantee level() const;
    char const* table() const { return kind == kind_name::record ? "lock_record" : "lock_lease"; }
    char const* name() const;

    // The waiters for a lock of this store that sleep in the server.
    void await_sleepers(std::int64_t number);
    std::int64_t sleepers();

    kind_name kind;
};

// All kinds at once, for tests that wait for a ttl: the waits overlap.
std::vector<std::unique_ptr<lock_kinds_fixture>> every_lock_kind();

} // namespace baton::test
