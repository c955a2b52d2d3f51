#pragma once

#include "libs/storage/retention.hpp"
#include "trigger/master/rest.hpp"
#include "trigger/master/settings.hpp"
#include "trigger/master/term.hpp"

#include <cstddef>

namespace baton::trigger {

// The number of rows of the next piece: half after a piece that took longer than `longest`, twice after one that took
// less than half of it, up to `most`.
std::size_t next_size(std::size_t present, duration took, duration longest, std::size_t most);

// Deletes executions that ended long ago, in pieces, on the shared sessions and never on the one for decisions. It
// takes a bounded share of the time, and nothing waits for it. Its position is not stored: the next term finds the
// oldest rows first. Part of a term.
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
    duration longest_; // time that a piece should take at most
    std::size_t rows_;
    storage::ledger_place from_;
    instant whole_at_{};      // when to begin at the oldest row again: open executions may have ended
    instant versions_at_{};   // when versions of topics are deleted next
    std::size_t deleted_ = 0; // since the last log line
};

} // namespace baton::trigger
