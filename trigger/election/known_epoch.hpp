#pragma once

#include "trigger/election/election_trace.hpp"
#include "trigger/election/elector.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace baton::trigger {

// The highest epoch that this node knows. It voids every lower one: the assignments made under it and this node's own
// term. On the loop only.
class known_epoch {
public:
    known_epoch(elector& election, election_trace& trace);

    std::int64_t value() const { return value_; }

    // `source` is trusted: the lock row, or another node, which read the epoch there.
    void learn(std::int64_t epoch, std::string const& source);

    // For a message of another node: false if its epoch is too old, otherwise the epoch is learned.
    bool admit(std::int64_t epoch, std::string const& source);

    // A client's claim proves nothing, and an absurd epoch could not be unlearned. A higher one therefore only makes
    // the election read the lock row now.
    void claimed_by_client(std::int64_t epoch);

    // Called with each higher epoch, after this node's own term has ended.
    void on_raise(std::function<void(std::int64_t)> listener) { raised_ = std::move(listener); }

private:
    elector& election_;
    election_trace& trace_;
    std::int64_t value_ = 0;
    std::function<void(std::int64_t)> raised_;
};

} // namespace baton::trigger
