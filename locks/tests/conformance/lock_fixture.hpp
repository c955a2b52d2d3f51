#pragma once
// What the suites of locks by name have in common.

#include "tests/support/stores.hpp"

#include <baton/lock/store.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace baton::test {

// A store, and as many processes' views of it as a test likes. In a cluster each second view is of another node.
class lock_fixture {
public:
    // On a database of its own, or else on a server that is not this test's alone.
    explicit lock_fixture(std::optional<storage::engine> engine, std::string server = {});

    lock::store& enter();
    std::string url() const; // of the next view

    // Those who sleep for a named lock of this database's server.
    std::int64_t sleepers() { return sleepers("state = 'User lock'"); }
    std::int64_t sleepers(std::string const& manner);

    std::optional<store> home; // none: a server
    std::string prefix;        // of all names
    std::vector<std::unique_ptr<lock::store>> views;

private:
    std::string server_;
};

// Waits until as many sleep in the server.
void await_sleepers(std::function<std::int64_t()> const& sleepers, std::int64_t number);

lock::lock_options short_lived(bool watchdog = false);

void await_loss(std::stop_token of);

lock::lock_errc failure_of(std::function<void()> const& call);

// In a coroutine one takes it, the other is refused, and has it after the release.
std::vector<std::string> take_turns(asio::io_context& loop, lock::named_lock& first, lock::named_lock& second);

} // namespace baton::test
