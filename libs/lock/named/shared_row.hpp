#pragma once
// The statements on locks that several may hold: a row a name (lock_shared), and a row a holder (lock_shared_holder).
// For .cpp files of this folder.
//
// A grant is one transaction that locks the name's row first and writes it, so that grants of a name come one after the
// other, on Galera too; expired holders are in the way until it has deleted them. All else is on one row of one holder,
// autocommit, and carries its conditions, so that each is harmless whenever it executes.

#include "libs/lock/named/contender.hpp"
#include "libs/storage/query.hpp"

#include <optional>
#include <string>
#include <vector>

namespace baton::lock {

struct shared_holder {
    std::string owner;
    std::int64_t token = 0;
    share of;
    duration left{}; // of its time, by the store's clock
    bool expired = false;
};

struct shared_state {
    std::int64_t token = 0; // the highest yet
    duration room_kept{};   // for how much longer it is kept for one who takes all
    std::vector<shared_holder> holders;

    shared_holder const* find(std::string const& owner) const;
    std::vector<share> live() const;
};

class shared_row {
public:
    // `sent`: read before the call went to its session, so that a wait for that makes a renewal older, never younger.
    shared_row(soci::session& sql, char const* set, std::string const& boot, instant sent);

    // Nothing where the name has no row. `lock`: within a transaction that is to grant it.
    std::optional<shared_state> read(std::string const& name, bool lock);
    // Makes the name's row. Throws already_exists.
    void make(std::string const& name);

    // Within that transaction:
    //
    // False: it was renewed or released since it was read.
    bool remove_expired(bid const& offer, shared_holder const& holder);
    std::int64_t insert(bid const& offer, shared_state const& seen); // the token

    void keep_room(bid const& offer, duration span);
    bool renew(bid const& offer, std::int64_t token);
    bool release(bid const& offer);

private:
    storage::query& of_holder(storage::query& statement, bid const& offer, std::string const& owner);

    soci::session& sql_;
    std::string set_; // whose names these are
    std::string boot_;
    storage::operand now_;
};

} // namespace baton::lock
