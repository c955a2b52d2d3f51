#pragma once
// The statements on locks that several may hold (lock_shared): a row of the name, which has no owner, and a row of each
// holder. For the .cpp files of this folder.
//
// Each statement is a transaction of its own and carries its condition. So it is harmless whenever it executes, and it
// never waits for a process that stopped inside a transaction. A grant is decided on the rows that were read. One
// statement then raises the name's token from the value that was read and inserts the holder, so no other holder was
// granted the lock in between, on Galera too. An expired holder blocks a grant until its row is deleted.

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
    duration left{}; // until its time ends, by the database's clock
    bool expired = false;
};

struct shared_state {
    std::int64_t token = 0;   // of the last grant
    duration room_reserved{}; // for a waiting writer, for this long
    std::vector<shared_holder> holders;

    shared_holder const* find(std::string const& owner) const;
    std::vector<lock_share> live() const;
};

class shared_row {
public:
    // `sent`: the time before the call waited for a session, so that the wait makes a renewal older and never younger.
    shared_row(soci::session& sql, char const* set, std::string const& boot, instant sent);

    // Nothing if the name has no row.
    std::optional<shared_state> read(std::string const& name);
    // Inserts the row of the name. Throws already_exists.
    void insert_name(std::string const& name);
    // False: the holder renewed or released the lock since it was read.
    bool remove_expired(acquisition_request const& request, shared_holder const& holder);
    // Returns the token, or nothing if another holder was granted the lock since it was read.
    std::optional<std::int64_t> insert_holder(acquisition_request const& request, shared_state const& seen);
    void reserve_room(acquisition_request const& request, duration span);
    bool renew(acquisition_request const& request, std::int64_t token);
    bool release(acquisition_request const& request);

private:
    storage::statement& where(storage::statement& update, std::string const& name, std::string const& owner);

    soci::session& sql_;
    std::string set_; // of shared_kind_spec
    std::string boot_;
    storage::operand now_;
};

} // namespace baton::lock
