#pragma once
// Decisions of a master do not wait for the row of an execution that another transaction has locked: a node may stall
// within the transaction that records its results. For .cpp files of this folder.

#include "libs/base/id.hpp"
#include "libs/storage/statement.hpp"

#include <set>
#include <vector>

namespace baton::storage {

struct free_and_locked {
    std::vector<execution_id> free{};   // open, and locked by this transaction from here on
    std::vector<execution_id> locked{}; // open, and locked by another one: a later transaction writes them
};

// Locks those of the executions that are open. On a database whose transactions lock everything all are free.
free_and_locked lock_executions(soci::session& sql, std::vector<execution_id> const& ids);

// The items, which name an execution in `id`, of those that are free.
template <class Item>
std::vector<Item> items_of(std::vector<execution_id> const& free, std::vector<Item> items)
{
    std::set<execution_id> const these(free.begin(), free.end());
    std::erase_if(items, [&](Item const& each) { return !these.contains(each.id); });
    return items;
}

} // namespace baton::storage
