#pragma once

#include "libs/base/loop_link.hpp"
#include "trigger/election/elector.hpp"

#include <functional>
#include <optional>
#include <string>

namespace baton::trigger {

// The election, as the working loop sees it. The elector has a loop of its own, so that no step of the working loop can
// cost the mastership. The two loops share the atomics of `mastership`; everything else is a copy that one posts to the
// other. On the working loop only.
class election_proxy {
public:
    // Both loops and the elector live longer.
    election_proxy(elector& election, loop_ref electing, loop_ref working);

    // Takes part in the election until it is cancelled or `stop` is called. Each term is run here, on the working loop.
    // The elector releases the lease, and seeks another term, only after `duty` has ended.
    awaitable<void> run(elector::duty duty);

    void stop();
    // A lower term of this node does not act any more when this returns; the elector ends it soon.
    void superseded(std::int64_t epoch, std::string const& source);
    void look();

    mastership const& state() const { return election_.state(); }

    // Copies of what the elector last said.
    std::optional<lease::lease_row> const& last_row() const { return row_; }
    succession const& began_by() const { return began_by_; } // of the present or last term
    std::string const& why_ended() const { return why_ended_; }
    std::int64_t released() const { return released_; }

    // Called with each row that the elector reads.
    void on_row(elector::row_watcher watcher) { on_row_ = std::move(watcher); }

private:
    awaitable<void> lead(std::int64_t epoch, elector::duty const& duty); // on the election's loop
    void note(lease::lease_row const& row, instant asked, instant answered);

    elector& election_;
    loop_ref electing_;
    loop_ref working_;
    std::optional<lease::lease_row> row_;
    succession began_by_;
    std::string why_ended_;
    std::int64_t released_ = 0;
    std::int64_t told_ = 0; // the highest epoch that the elector was told of
    elector::row_watcher on_row_;
};

} // namespace baton::trigger
