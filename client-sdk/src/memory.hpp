#pragma once
// Which executions ended lately, so that a repeated delivery is recognised.

#include "libs/base/time.hpp"
#include "libs/protocol/outcome.hpp"

#include <cstdint>
#include <deque>
#include <unordered_map>

namespace baton::client {

// Bounded in time and in number: at a rate beyond `most` in `span` the oldest are forgotten sooner.
class memory {
public:
    struct ended {
        int attempt = 0;
        protocol::state status = protocol::state::succeeded;
        instant at;
        bool refused = false; // not ended: never had, and not to be taken any more up to this attempt
    };

    memory(duration span, std::size_t most) : span_(span), most_(most) {}

    void remember(std::int64_t execution, ended what);
    ended const* find(std::int64_t execution, instant now) const; // null when unknown or too long ago
    void forget(instant now);                                     // what is too old
    std::size_t size() const { return ended_.size(); }

private:
    void drop_oldest();

    duration span_;
    std::size_t most_;
    std::unordered_map<std::int64_t, ended> ended_;
    std::deque<std::pair<instant, std::int64_t>> order_; // one entry for each call of remember
};

} // namespace baton::client
