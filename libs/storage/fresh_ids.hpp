#pragma once
// Transactions that make rows with ids of their own. For .cpp files of this folder.

#include "libs/storage/detail.hpp"

#include <string>
#include <type_traits>

namespace baton::storage {

// Ends a transaction that is tried again with other ids, or with a later instant.
struct try_again {};

// Calls `work`. If a unique key is taken, throws try_again: the next try has another id, or sees the row that was
// first.
template <class Work>
std::invoke_result_t<Work const&> try_again_if_taken(Work const& work)
{
    try {
        return work();
    } catch (statement_error const& failure) {
        if (failure.why() == statement_error::kind::duplicate)
            throw try_again{};
        throw;
    }
}

// Awaits `once`, which makes ids and runs a transaction with them, until it does not throw try_again: five times at
// most. Then throws `unavailable` with the text. Other exceptions of `once` pass through.
template <class Once>
std::invoke_result_t<Once const&> with_fresh_ids(Once const& once, char const* failure)
{
    constexpr int most_tries = 5;
    for (int tries = 0; tries < most_tries; ++tries) {
        try {
            co_return co_await once();
        } catch (try_again const&) {
            // The next try makes other ids.
        }
    }
    throw unavailable(std::string("database: ") + failure);
}

} // namespace baton::storage
