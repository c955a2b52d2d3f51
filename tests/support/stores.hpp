#pragma once

#include "libs/storage/detail.hpp"
#include "libs/storage/storage.hpp"

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace baton::test {

// Runs a coroutine to its end on a loop of its own, and throws its exception.
void run_to_end(awaitable<void> part);

// A coroutine that keeps the result of another.
template <class Result>
awaitable<void> keep_result(awaitable<Result> part, std::optional<Result>& result)
{
    result.emplace(co_await std::move(part));
}

// run_to_end(), which also returns what the coroutine returns. Asio's part of it is compiled once for all results.
template <class Result>
Result wait_for(awaitable<Result> part)
{
    if constexpr (std::is_void_v<Result>) {
        run_to_end(std::move(part));
    } else {
        std::optional<Result> result;
        run_to_end(keep_result(std::move(part), result));
        return std::move(*result);
    }
}

// A database of its own on one of the two stores, empty at first and gone at the end. With BATON_TEST_ON=galera what is
// on MySQL is on a Galera cluster: where() and open() lead to one node. Plain statements go to another, read what any
// node has committed, and stand on all nodes when they return.
class store {
public:
    explicit store(storage::engine engine);
    ~store();
    store(store const&) = delete;
    store& operator=(store const&) = delete;

    storage::location const& where() const { return nodes_.front(); }
    std::unique_ptr<storage::database> open(storage::database_settings settings = {});

    // The same database on each node of the cluster, that of where() first; one without a cluster.
    std::vector<storage::location> const& nodes() const { return nodes_; }

    // With the tables of the set, for tests that are not about migrations.
    store& migrated(storage::migration_set set = storage::scheduler_tables());

    // Plain statements, for arranging and for looking.
    std::int64_t number(std::string const& sql);
    std::string text(std::string const& sql);
    void exec(std::string const& sql);
    // Returns when every node of the cluster has applied what any of them has acknowledged.
    void await_nodes();

private:
    storage::session_ptr plain(storage::location const& where);

    system_time time_;
    std::vector<storage::location> nodes_;
};

std::string to_string(storage::engine engine);

} // namespace baton::test
