#pragma once

#include "libs/lease/lease.hpp"
#include "tests/support/private_galera.hpp"
#include "tests/support/stores.hpp"

#include <boost/asio/detached.hpp>

#include <memory>
#include <string>
#include <utility>

namespace baton::test {

// The outcome of a statement, which may be unknown.
enum class answer { yes, no, unavailable };

inline awaitable<void> note(awaitable<bool> call, answer& out)
{
    try {
        bool const matched = co_await std::move(call);
        out = matched ? answer::yes : answer::no;
    } catch (baton::unavailable const&) {
        out = answer::unavailable;
    }
}

// Runs both at the same time, each on a session of its own.
inline std::pair<answer, answer> together(awaitable<bool> one, awaitable<bool> other)
{
    std::pair<answer, answer> out{answer::unavailable, answer::unavailable};
    asio::io_context loop;
    asio::co_spawn(loop, note(std::move(one), out.first), asio::detached);
    asio::co_spawn(loop, note(std::move(other), out.second), asio::detached);
    loop.run();
    return out;
}

inline answer alone(awaitable<bool> call)
{
    auto out = answer::unavailable;
    wait_for(note(std::move(call), out));
    return out;
}

// The lock row as a node of the cluster sees it: sessions as `baton trigger` has them, led to one database node.
class node_bench {
public:
    node_bench(storage::location const& where, time_source const& time, unsigned read_limit_s = 10,
               std::string name_space = "master")
        : own(storage::open_database(where, {.sessions = 1, .read_limit_s = read_limit_s, .lock_wait_s = 1}, time)),
          lease(lease::make_clocked_lease(*own, std::move(name_space)))
    {}

    std::unique_ptr<storage::database> own;
    std::unique_ptr<lease::lease_store> lease;
};

} // namespace baton::test
