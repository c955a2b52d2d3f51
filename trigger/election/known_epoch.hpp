#pragma once

#include "libs/base/loop.hpp"
#include "libs/protocol/term_id.hpp"
#include "trigger/election/election_proxy.hpp"
#include "trigger/election/election_trace.hpp"
#include "trigger/election/epoch_claims.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_set>

namespace baton::trigger {

// The highest epoch of its namespace that this node knows. It voids every lower one: the assignments made under it and
// this node's own term. On the loop only.
class known_epoch final : public epoch_claims {
public:
    // `name_space`: of this node.
    known_epoch(election_proxy& election, election_trace& trace, time_source& time,
                protocol::namespace_id name_space = protocol::first_namespace);

    std::int64_t value() const { return value_; }
    protocol::namespace_id name_space() const { return name_space_; }
    protocol::term_id term() const { return {name_space_, value_}; }
    // Only epochs of this node's namespace can be compared with the one that it knows.
    bool concerns(protocol::term_id term) const { return term.name_space == name_space_; }

    // `source` is the lock row, or a seizure of this node: nothing else proves that an epoch exists.
    void learn(std::int64_t epoch, std::string const& source);

    // Whether a message of another node counts.
    enum class admission {
        current, // it is of the highest epoch that the lock row has shown
        old,     // of a lower one
        unproved // of a higher one, which the lock row does not show: it is to be sent again
    };
    // A higher epoch than the known one makes the election read the lock row, and waits for it, for at most a second.
    awaitable<admission> admit(std::int64_t epoch, std::string source);

    // A client or node has answered that it knows this epoch. That proves nothing, and an absurd epoch could not be
    // unlearned. A higher one than the known one therefore only makes the election read the lock row now.
    void claimed(std::int64_t epoch, std::string const& by);
    void refused_by(protocol::term_id term, std::string const& refuser) override
    {
        if (concerns(term))
            claimed(term.epoch, refuser);
    }

    // The lock row has been read. Its epoch is learned if it is `held`. It may confirm what clients claim.
    void read_row(protocol::term_id term, bool held);

    // An epoch that a client or node knows and that is above the one in the lock row, which has been read since. It
    // refuses every call of this cluster: the database was restored from an older state, or the client belongs to
    // another cluster. 0: none.
    std::int64_t ahead() const { return alarmed_ ? claimed_ : 0; }

    // Called with each higher epoch, when a lower term of this node does not act any more.
    void on_raise(std::function<void(std::int64_t)> listener) { raised_ = std::move(listener); }

private:
    void forget_claim();

    election_proxy& election_;
    election_trace& trace_;
    time_source& time_;
    protocol::namespace_id name_space_;
    std::int64_t value_ = 0;
    std::int64_t claimed_ = 0; // the highest that a client or node has claimed, if above the lock row's
    instant claimed_at_{};     // the last time
    std::string claimed_by_;   // at that time
    int readings_ = 0;         // of the lock row since the first time
    bool alarmed_ = false;
    std::function<void(std::int64_t)> raised_;
    std::unordered_set<waker*> waiting_; // messages whose epoch the lock row has not shown
};

} // namespace baton::trigger
