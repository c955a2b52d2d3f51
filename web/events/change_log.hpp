#pragma once

#include "libs/storage/topics.hpp"

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string>

namespace baton::web {

using topic_set = std::bitset<storage::topics>;

// Numbers the changes that this process has seen, so that a page that comes back names the last one that it knows and
// is told every topic that has changed since. It may announce more than has changed and never less. Pure.
class change_log {
public:
    // `run` distinguishes this process from the one before, whose numbers say nothing here. It has no "-".
    explicit change_log(std::string run) : run_(std::move(run)) {}

    // Compares with the marks before; true if something changed. The first ones change everything.
    bool take(storage::marks seen);

    std::string place() const { return run_ + "-" + std::to_string(number_); } // the id of an event
    std::int64_t number() const { return number_; }

    // The topics that have changed since this number, or since the event of this id: all for an id of another run.
    topic_set since(std::int64_t number) const;
    topic_set since(std::string const& place) const;

private:
    topic_set compare(storage::marks const& seen) const;

    std::string run_;
    std::int64_t number_ = 0;
    std::array<std::int64_t, storage::topics> changed_{}; // the number of the last change of each
    std::optional<storage::marks> marks_;
};

} // namespace baton::web
