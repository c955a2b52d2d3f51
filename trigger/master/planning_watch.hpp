#pragma once

#include "libs/base/time.hpp"

#include <optional>
#include <string>

namespace baton::trigger {

// Tells why a master that may act does not plan. A term begins with its take-over; after that the planner reports its
// rounds.
class planning_watch {
public:
    // Longer than a page takes and than a term without an acknowledged ping stays active.
    static constexpr duration patience = 1s;

    explicit planning_watch(instant now) : waits_since_(now) {}

    // The planner begins a round, has planned a page, has ended the round.
    void began(instant now);
    void planned(instant now);
    void ended() { waits_since_.reset(); }
    void failed(std::string why);

    // `active`: the master may act now. `has_room`: for as long as a transaction may take. The reason if it does not
    // plan all the same; nothing while it is suspended, which the election reports.
    std::optional<std::string> trouble(bool active, bool has_room, instant now);

private:
    std::optional<instant> waits_since_; // the last progress of the round; none between two rounds
    bool taking_over_ = true;
    bool had_room_ = false; // since the last progress
    std::string failure_;   // of the last round; empty if it succeeded
};

} // namespace baton::trigger
