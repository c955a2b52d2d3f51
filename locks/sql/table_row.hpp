#pragma once
// The statements on the row of a lock, for the .cpp files of this folder. Each changes one row by its key in a
// transaction of its own and carries its condition, so that it is harmless whenever it executes.

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
    duration age{}; // since it was taken, renewed or released, by the database's clock
    bool expired = false;
};

class table_row {
public:
    // `sent`: the time before the call waited for a session, so that the wait makes a renewal older and never younger.
    table_row(soci::session& sql, expiry_rule rule, std::string const& boot, instant sent);

    std::optional<grant> take(acquisition_request const& request);      // if free or expired
    std::optional<grant> take_free(acquisition_request const& request); // if free
    // If it is as it was read, and still free or expired.
    bool take_as_seen(acquisition_request const& request, row_state const& seen);
    // Inserts the row with its holder. Throws already_exists.
    void insert(acquisition_request const& request);
    std::optional<grant> granted(acquisition_request const& request); // what this acquisition holds
    std::optional<row_state> read(std::string const& name);
    bool renew(acquisition_request const& request, std::int64_t token);
    bool remove(acquisition_request const& request); // releases by deleting the row
    // Without a token, releases whatever this acquisition holds.
    bool release(acquisition_request const& request, std::optional<std::int64_t> token);

private:
    void set_holder(storage::statement& update, acquisition_request const& request);
    std::optional<grant> taken_by(storage::statement& update);

    soci::session& sql_;
    storage::fragment table_;
    char const* kind_;
    std::string boot_;
    storage::operand now_;
};

storage::fragment table_of(expiry_rule rule);
char const* name_of(expiry_rule rule);
// The present time in the rows: the server's clock, or on SQLite the host's time since its boot.
storage::operand row_time(soci::session& sql, instant sent);
// New rows of this kind start above `token`. Called before the deletion of a row and in a transaction of its own: a
// process that stops inside a transaction with both would block all new names.
void raise_floor(soci::session& sql, std::string const& kind, std::int64_t token);
// The boot that row_time() counts from; empty for a server.
std::string row_boot(storage::database const& database);

} // namespace baton::lock
