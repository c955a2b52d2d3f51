#pragma once

#include "libs/storage/change_marks.hpp"

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace baton::web {

using topic_set = std::bitset<storage::topics>;

// The result of one look at the tables.
struct sighting {
    storage::marks marks;
    std::vector<storage::signal_record> signals; // those of the last seconds
    bool overflow = false;                       // there were more signals than that
};

// Numbers the changes that this process has seen, so that a page that comes back names the last one that it knows and
// is told every topic that has changed since. It may announce more than has changed and never less. Pure.
class change_log {
public:
    // `run` distinguishes this process from the one before, whose numbers say nothing here. It has no "-".
    explicit change_log(std::string run) : run_(std::move(run)) {}

    // Compares with the sighting before; true if something changed. The first one changes everything, and so does, of
    // the topics that only signals tell, one after a `gap` in which signals may have come and gone.
    bool take(sighting seen, bool gap);

    std::string place() const { return run_ + "-" + std::to_string(number_); } // the id of an event
    std::int64_t number() const { return number_; }

    // The topics that have changed since this number, or since the event of this id: all for an id of another run.
    topic_set since(std::int64_t number) const;
    topic_set since(std::string const& place) const;

private:
    topic_set compare(sighting const& seen, bool gap) const;
    topic_set signalled(sighting const& seen) const;

    std::string run_;
    std::int64_t number_ = 0;
    std::array<std::int64_t, storage::topics> changed_{}; // the number of the last change of each
    std::optional<storage::marks> marks_;
    std::set<signal_id> signals_; // of the last sighting
};

} // namespace baton::web
