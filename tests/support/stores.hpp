#pragma once

#include "libs/storage/detail.hpp"
#include "libs/storage/storage.hpp"

#include <boost/asio/io_context.hpp>

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace baton::test {

// Runs a coroutine to its end on a loop of its own and returns what it returns.
template <class Result>
Result wait_for(awaitable<Result> part)
{
    asio::io_context loop;
    std::exception_ptr failure;
    if constexpr (std::is_void_v<Result>) {
        asio::co_spawn(loop, std::move(part), [&](std::exception_ptr ended) { failure = std::move(ended); });
        loop.run();
        if (failure)
            std::rethrow_exception(failure);
    } else {
        std::optional<Result> result;
        asio::co_spawn(loop, std::move(part), [&](std::exception_ptr ended, Result value) {
            failure = std::move(ended);
            result.emplace(std::move(value));
        });
        loop.run();
        if (failure)
            std::rethrow_exception(failure);
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
