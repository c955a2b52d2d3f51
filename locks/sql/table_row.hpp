#pragma once
// The statements on the row of a lock by name; for .cpp files of this folder. All are single-row, by key and
// autocommit, and carry their conditions, so that each is harmless whenever it executes.

#include "libs/storage/statement.hpp"
#include "locks/sql/table_kind.hpp"

#include <optional>
#include <string>

namespace baton::lock {

struct row_state {
    bool owned = false;
    std::int64_t token = 0;
    std::int64_t renew_seq = 0;
    duration ttl{};
    duration age{}; // since it was taken, renewed or released, by the store's clock
    bool expired = false;
};

class table_row {
public:
    // `sent`: read before the call went to its session, so that a wait for that makes a renewal older, never younger.
    table_row(soci::session& sql, expiry_rule how, std::string const& boot, instant sent);

    std::optional<grant> take(acquisition_request const& request);      // if it is free or expired
    std::optional<grant> take_free(acquisition_request const& request); // if it is free
    // If it is as it was read, and free or expired still.
    bool take_as_seen(acquisition_request const& request, row_state const& seen);
    // Makes the row, held already. Throws already_exists.
    void insert(acquisition_request const& request);
    std::optional<grant> granted(acquisition_request const& request); // what the acquisition holds, if it does
    std::optional<row_state> read(std::string const& name);
    bool renew(acquisition_request const& request, std::int64_t token);
    bool remove(acquisition_request const& request); // in place of a release: the row goes
    bool release(acquisition_request const& request,
                 std::optional<std::int64_t> token); // of any token, if the acquisition's is not known

private:
    void set_holder(storage::statement& update, acquisition_request const& request);
    std::optional<grant> taken_by(storage::statement& update);

    soci::session& sql_;
    storage::fragment table_;
    char const* kind_;
    std::string boot_;
    storage::operand now_;
};

storage::fragment table_of(expiry_rule how);
char const* name_of(expiry_rule how);
// Now, as a row of this database says it: the server's, or the host's since its boot.
storage::operand row_time(soci::session& sql, instant sent);
// What comes again of this kind under a name that is removed has a higher token than this. Before it is removed, and
// each by itself: a transaction of both would hold up all new names if its process went silent in the middle.
void raise_floor(soci::session& sql, std::string const& kind, std::int64_t token);
// The boot whose time that is; empty for a server.
std::string row_boot(storage::database const& where);

} // namespace baton::lock
