#pragma once

#include "libs/storage/retention.hpp"
#include "trigger/master/term.hpp"
#include "trigger/settings.hpp"

#include <cstddef>

namespace baton::trigger {

// How long to rest after work that took so long, for it to be no more than `share` percent of the time.
duration rest_after(duration took, int share);

// How many rows the next piece should have: fewer after a long one, more after a short one, up to `most`.
std::size_t next_size(std::size_t present, duration took, duration longest, std::size_t most);

// Deletes what ended long ago, piece by piece, on the shared sessions and never on the one that decides. However much
// there is, its part of the time stays small, and nothing waits for it. Where it stands is written nowhere: what has
// been deleted is gone, so that the next term finds the rest at the beginning. Part of a term.
class janitor {
public:
    janitor(retention_settings settings, term& term, storage::database& shared);

    awaitable<void> run();

private:
    awaitable<bool> piece(); // true: there is more
    awaitable<bool> executions();

    retention_settings settings_;
    term& term_;
    storage::retention table_;
    duration longest_; // that a piece should take
    std::size_t rows_;
    storage::ledger_place from_;
    instant whole_at_{};      // the ledger is looked at from its beginning again: what was open may have ended
    std::size_t deleted_ = 0; // since the last word of it
};

} // namespace baton::trigger
