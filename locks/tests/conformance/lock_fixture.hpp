#pragma once
// Shared by the suites of all kinds of locks.

#include "tests/support/stores.hpp"
#include "tests/support/target.hpp"

#include <baton/lock/store.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace baton::test {

// A server or database and the stores that a test opens on it; each store is like a process of its own. In a cluster
// they are spread over the nodes.
class lock_fixture {
public:
    // On a database of its own, or on a server that other tests use too.
    explicit lock_fixture(std::optional<storage::engine> engine, std::string server = {});

    lock::store& enter();
    std::string url() const; // for the next store

    // A node of a cluster refuses a lock until it has applied the release of the last holder at another node.
    void await_release();

    // The sessions of this database that sleep in the server.
    std::int64_t sleepers() { return sleepers("state = 'User lock'"); }
    std::int64_t sleepers(std::string const& manner);

    std::optional<store> home; // none: a shared server
    std::string prefix;        // of all lock names
    std::vector<std::unique_ptr<lock::store>> views;

private:
    std::string server_;
};

// The databases that this run tests: a further run on another server repeats only the tests on a server.
std::vector<storage::engine> tested_engines();

// Waits until so many sessions sleep in the server.
void await_sleepers(std::function<std::int64_t()> const& sleepers, std::int64_t number);

lock::lock_options short_lived(bool watchdog = false);

void await_loss(std::stop_token of);

lock::lock_errc failure_of(std::function<void()> const& call);

// In a coroutine: the first lock is granted, the second is refused, and granted after the release.
std::vector<std::string> take_turns(asio::io_context& loop, lock::named_lock& first, lock::named_lock& second);

} // namespace baton::test
