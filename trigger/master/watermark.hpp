#pragma once

#include "libs/base/loop.hpp"
#include "trigger/master/sent_attempts.hpp"
#include "trigger/master/term_scope.hpp"

#include <deque>
#include <optional>
#include <vector>

namespace baton::trigger {

// The watermark in the ledger, by which a new master knows what may be at a client. For every execution that is due at
// or below it: if the present attempt is not marked as out, it has never been handed to a node. So
// - an execution that is sent on time, and ends before the watermark passes it, costs no write;
// - one that is still out when the watermark passes it is marked in the same transaction or before;
// - one that is sent late, below the watermark, is marked before it is sent (late_sends).
// An execution that only waits costs no write.
//
// The watermark follows the clock two seconds behind, once a second and only while something falls due. A round marks a
// bounded number of attempts. If more are out, the watermark follows later, and a new master asks about more of them.
// "Due" is always the ledger's due_at, so no step of a clock matters. Part of a term.
class watermark {
public:
    explicit watermark(term_scope const& scope) : scope_(scope), bell_(scope.loop) {}

    // Reads the watermark of earlier terms, before the term acts. Throws `unavailable`.
    awaitable<void> read();
    utc_time of_former_terms() const { return former_; }

    // True if the attempt must be marked before it is handed to a node. Holds also for a watermark that is about to be
    // written, or whose transaction has an unknown outcome, and for what is late while the database keeps the watermark
    // from following the clock: the mark tells that its task has not been stopped meanwhile.
    bool must_mark(open_execution const& one) const;
    // The attempt is handed to a node, or may have been by an earlier master.
    void sent(open_execution& one);
    // Executions have fallen due.
    void fell_due();
    // The open executions of earlier terms are in memory, but for rows that have changed meanwhile (open_set::stale).
    // The watermark waits for these as well, once: it passes no row that has not been read.
    void all_loaded();

    // The node stops in good order: the watermark follows the clock at once, so that the successor asks only about what
    // is at a client.
    void hurry();
    // True when the watermark stands at or above the time of hurry().
    bool has_hurried() const { return hurries_to_ && written_ >= *hurries_to_; }

    awaitable<void> run();

private:
    bool is_wanted(utc_time target) const;
    void reserve(utc_time target);
    void collect(std::vector<protocol::attempt_key> const& attempts);
    awaitable<void> round();
    awaitable<bool> mark_and_raise();
    awaitable<void> raise_below_the_locked();
    void note_marked(std::vector<protocol::attempt_key> const& group);

    term_scope scope_;
    waker bell_;
    sent_attempts sent_;
    std::deque<protocol::attempt_key> to_mark_; // due at or below reserved_
    utc_time former_{};
    utc_time reserved_{}; // what is due at or below it is marked before it is sent
    utc_time written_{};  // what the ledger has at least
    instant wanted_until_ = instant::min();
    instant round_at_{}; // the last that the database has carried out
    std::optional<utc_time> hurries_to_;
    bool loaded_ = false;
    bool all_read_ = false; // and so are those that were stale then
};

} // namespace baton::trigger
