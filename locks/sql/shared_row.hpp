#pragma once
// The statements on locks that several may hold (lock_shared): a row of the name, which has no owner, and a row of each
// holder. For .cpp files of this folder.
//
// All are autocommit and carry their conditions, so that each is harmless whenever it executes, and none waits for a
// process that has gone silent in the middle of a transaction. A grant is decided by what was read, and is made by one
// statement that raises the name's token from what was read and inserts the holder: so no other was granted since, on
// Galera neither. Who held it then is in the way until it is deleted, also when its time is over.

#include "libs/storage/statement.hpp"
#include "locks/core/acquisition.hpp"

#include <optional>
#include <string>
#include <vector>

namespace baton::lock {

struct shared_holder {
    std::string owner;
    std::int64_t token = 0;
    lock_share share;
    duration left{}; // of its time, by the store's clock
    bool expired = false;
};

struct shared_state {
    std::int64_t token = 0; // the highest yet
    duration room_kept{};   // for how much longer it is kept for one who takes all
    std::vector<shared_holder> holders;

    shared_holder const* find(std::string const& owner) const;
    std::vector<lock_share> live() const;
};

class shared_row {
public:
    // `sent`: read before the call went to its session, so that a wait for that makes a renewal older, never younger.
    shared_row(soci::session& sql, char const* set, std::string const& boot, instant sent);

    // Nothing where the name has no row.
    std::optional<shared_state> read(std::string const& name);
    // Makes the name's row. Throws already_exists.
    void make(std::string const& name);
    // False: it was renewed or released since it was read.
    bool remove_expired(acquisition_request const& request, shared_holder const& holder);
    // The token; nothing where another was granted it since it was read.
    std::optional<std::int64_t> insert(acquisition_request const& request, shared_state const& seen);
    void keep_room(acquisition_request const& request, duration span);
    bool renew(acquisition_request const& request, std::int64_t token);
    bool release(acquisition_request const& request);

private:
    storage::statement& of(storage::statement& update, std::string const& name, std::string const& owner);

    soci::session& sql_;
    std::string set_; // whose names these are
    std::string boot_;
    storage::operand now_;
};

} // namespace baton::lock
