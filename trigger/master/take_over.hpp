#pragma once

#include "trigger/master/execution_loader.hpp"
#include "trigger/master/fire_mark.hpp"
#include "trigger/master/watermark.hpp"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace baton::trigger {

// Loads the executions that the last master left open, page by page in order of time, while the term already plans and
// fires: the next page is read while one is taken into memory, in steps so short that the loop serves others in
// between. Those that the last master may have sent are in doubt: by the ledger those that are marked as out, and by
// the clock those that are due behind the watermark. Part of a term.
class take_over {
public:
    take_over(term_scope const& scope, execution_loader& loader, fire_mark const& mark, watermark const& out);

    // Call it once the fence is raised and the mark is read, before anything is loaded.
    void begin();

    // Returns when all are loaded.
    awaitable<void> run();

    // The number of those that are in doubt, once they are loaded.
    awaitable<int> past_due();

private:
    struct page {
        std::unique_ptr<open_set::reading> seen;
        std::vector<storage::open_execution_row> rows{};
        std::optional<std::string> failure{}; // instead of rows
    };
    awaitable<void> load_all();
    awaitable<void> load_range();
    awaitable<void> read(storage::open_cursor after, page& into);
    awaitable<void> load(page const& some);
    awaitable<void> load_stale();
    bool maybe_sent(storage::open_execution_row const& row) const;
    void past_due_are_loaded();

    term_scope scope_;
    execution_loader& loader_;
    fire_mark const& mark_;
    watermark const& out_;
    utc_time sent_until_;
    struct range {
        storage::open_cursor from; // behind what is loaded
        utc_time until;
    };
    std::deque<range> left_;
    int past_due_ = 0;
    std::size_t loaded_ = 0;
    bool past_due_loaded_ = false;
    waker bell_;
};

} // namespace baton::trigger
