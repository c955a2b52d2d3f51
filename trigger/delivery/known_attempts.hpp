#pragma once

#include "libs/base/time.hpp"
#include "libs/protocol/client_wire.hpp"
#include "trigger/delivery/assignment_window.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

namespace baton::trigger {

// The fate of an attempt at the slave that it was assigned to.
enum class fate {
    dropped,     // may be taken again; if a client may have it, no other client may get it
    waiting,     // in a queue or on its way
    delivered,   // a client has it
    undelivered, // no client has it, and none will get it
    returned,    // no client of this node could take it: a later assignment may bring it again
};

struct known_attempt {
    int attempt = 0;
    trigger::fate fate = fate::dropped;
    std::string client{};                // the client that has it or may have it
    int holds = 0;                       // delivered: the client runs this earlier attempt instead
    std::int64_t number = 0;             // of the last assignment that named it
    std::optional<instant> first_sent{}; // dropped: to `client`
    std::uint64_t lane = 0;              // waiting: where, or whence it is on its way (lanes::numbered)
};

// The latest attempt of each execution that a master has assigned to this slave, for as long as a message may come that
// assigns it again.
class known_attempts {
public:
    known_attempts() { known_.reserve(without_growing); }

    // Whether a message from another node counts (see assignment_window). Its assignments are looked at before
    // forget_settled().
    bool take(std::int64_t number, std::vector<std::int64_t> const& open) { return window_.take(number, open); }

    // The highest number of a message that has counted.
    std::int64_t highest() const { return window_.highest(); }

    known_attempt const* find(execution_id execution) const;
    void set(execution_id execution, known_attempt what) { known_[execution] = std::move(what); }
    void forget(execution_id execution) { known_.erase(execution); }
    void waits_in(execution_id execution, std::uint64_t lane);

    // A later attempt has come: a client had this one, and its answer was lost.
    bool superseded(protocol::dispatch const& one) const;

    // The master has the report on this attempt: no message with this number or a higher one assigns it again.
    void acknowledged(protocol::attempt_key const& which, std::int64_t from) { acknowledged_.emplace(from, which); }
    // Forgets the attempts that no message can assign again.
    void forget_settled();
    // A new epoch numbers its assignments anew.
    void clear() { *this = {}; }

private:
    static constexpr std::size_t without_growing = 100'000; // since growing is a long step of the loop

    std::unordered_map<execution_id, known_attempt> known_;
    assignment_window window_;
    std::multimap<std::int64_t, protocol::attempt_key> acknowledged_; // by the number from which they may be forgotten
};

} // namespace baton::trigger
