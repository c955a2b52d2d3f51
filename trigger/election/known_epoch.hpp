#pragma once

#include "libs/protocol/term_id.hpp"
#include "trigger/election/election_proxy.hpp"
#include "trigger/election/election_trace.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace baton::trigger {

// The highest epoch of its namespace that this node knows. It voids every lower one: the assignments made under it and
// this node's own term. On the loop only.
class known_epoch {
public:
    // `name_space`: of this node.
    known_epoch(election_proxy& election, election_trace& trace,
                protocol::namespace_id name_space = protocol::first_namespace);

    std::int64_t value() const { return value_; }
    protocol::namespace_id name_space() const { return name_space_; }
    protocol::term_id term() const { return {name_space_, value_}; }
    // Only epochs of this node's namespace can be compared with the one that it knows.
    bool concerns(protocol::term_id term) const { return term.name_space == name_space_; }

    // `source` is trusted: the lock row, or another node, which read the epoch there.
    void learn(std::int64_t epoch, std::string const& source);

    // For a message of another node: false if its epoch is too old, otherwise the epoch is learned.
    bool admit(std::int64_t epoch, std::string const& source);

    // A client's claim proves nothing, and an absurd epoch could not be unlearned. A higher one therefore only makes
    // the election read the lock row now.
    void claimed_by_client(std::int64_t epoch);

    // The lock row has been read. Its epoch is learned if it is `held`. It may confirm what clients claim.
    void read_row(protocol::term_id term, bool held);

    // An epoch that a client knows and that is above the one in the lock row, which has been read since. Such a client
    // refuses every call of this cluster: the database was restored from an older state, or the client belongs to
    // another cluster. 0: none.
    std::int64_t ahead() const { return alarmed_ ? claimed_ : 0; }

    // Called with each higher epoch, when a lower term of this node does not act any more.
    void on_raise(std::function<void(std::int64_t)> listener) { raised_ = std::move(listener); }

private:
    election_proxy& election_;
    election_trace& trace_;
    protocol::namespace_id name_space_;
    std::int64_t value_ = 0;
    std::int64_t claimed_ = 0; // the highest that a client has claimed, if above the lock row's
    int readings_ = 0;         // of the lock row since then
    bool alarmed_ = false;
    std::function<void(std::int64_t)> raised_;
};

} // namespace baton::trigger
