#include "locks/sql/table_row.hpp"

namespace baton::lock {

using storage::row;
using storage::statement;

storage::fragment table_of(expiry_rule rule)
{
    return rule == expiry_rule::record ? storage::fragment{"lock_record"} : storage::fragment{"lock_lease"};
}

char const* name_of(expiry_rule rule)
{
    return rule == expiry_rule::record ? "record" : "lease";
}

storage::operand row_time(soci::session& sql, instant sent)
{
    if (storage::dialect_of(sql).shared_clock())
        return storage::now_us(sql);
    return sent.time_since_epoch().count();
}

std::string row_boot(storage::database const& database)
{
    return database.dialect().shared_clock() ? std::string() : boot_id();
}

void raise_floor(soci::session& sql, std::string const& kind, std::int64_t token)
{
    statement raise(sql, "UPDATE lock_floor SET token = CASE WHEN token < ", token, " THEN ", token);
    raise(" ELSE token END WHERE kind = ", kind);
    if (raise.execute() != 1)
        throw unavailable("the table lock_floor lacks the row of a kind of lock: create the tables of locks again");
}

namespace {

grant grant_in(row& cells)
{
    grant made;
    made.token = cells.number();
    made.took_over = cells.flag();
    return made;
}

} // namespace

table_row::table_row(soci::session& sql, expiry_rule rule, std::string const& boot, instant sent)
    : sql_(sql), table_(table_of(rule)), kind_(name_of(rule)), boot_(boot), now_(row_time(sql, sent))
{}

void table_row::set_holder(statement& update, acquisition_request const& request)
{
    // MySQL assigns from left to right, so this reads the previous owner.
    update("UPDATE ", table_, " SET took_over = CASE WHEN owner IS NULL THEN 0 ELSE 1 END, owner = ", request.owner);
    if (storage::dialect_of(sql_).returns_rows())
        update(", token = token + 1");
    else // the answer carries the function's value, which saves a statement
        update(", token = LAST_INSERT_ID(2 * (token + 1) + took_over) DIV 2");
    update(", renew_seq = renew_seq + 1, label = ", request.label);
    update(", renewed_at = ", now_, ", boot = ", boot_, ", ttl_us = ", request.ttl, " WHERE name = ", request.name);
}

std::optional<grant> table_row::taken_by(statement& update)
{
    std::optional<grant> made;
    if (storage::dialect_of(sql_).returns_rows()) {
        update.returning("token", "took_over").each([&](row& cells) { made = grant_in(cells); });
    } else if (update.execute() == 1) {
        auto const id = storage::dialect_of(sql_).last_insert_id(sql_);
        made.emplace(id / 2, id % 2 == 1);
    }
    return made;
}

std::optional<grant> table_row::take(acquisition_request const& request)
{
    statement update(sql_);
    set_holder(update, request);
    update(" AND (owner IS NULL OR boot <> ", boot_, " OR ", now_, " - renewed_at >= ttl_us)");
    return taken_by(update);
}

std::optional<grant> table_row::take_free(acquisition_request const& request)
{
    statement update(sql_);
    set_holder(update, request);
    update(" AND owner IS NULL");
    return taken_by(update);
}

bool table_row::take_as_seen(acquisition_request const& request, row_state const& seen)
{
    statement update(sql_);
    set_holder(update, request);
    update(" AND token = ", seen.token, " AND renew_seq = ", seen.renew_seq);
    if (seen.owned)
        update(" AND (boot <> ", boot_, " OR ", now_, " - renewed_at >= ttl_us)");
    return update.execute() == 1;
}

void table_row::insert(acquisition_request const& request)
{
    // Reads the floor under a lock, so that no reaper raises it at the same time.
    statement make(sql_, "INSERT INTO ", table_,
                   " (name, owner, token, took_over, renew_seq, ttl_us, renewed_at, boot, label) ");
    make("SELECT ", request.name, ", ", request.owner, ", token + 1, 0, 0, ", request.ttl, ", ", now_, ", ", boot_,
         ", ", request.label, " FROM lock_floor WHERE kind = ", std::string(kind_), storage::for_update(sql_));
    if (make.execute() != 1)
        throw unavailable("the table lock_floor lacks the row of a kind of lock: create the tables of locks again");
}

std::optional<grant> table_row::granted(acquisition_request const& request)
{
    std::optional<grant> found;
    statement ask(sql_);
    ask.select("token", "took_over")(" FROM ", table_, " WHERE name = ", request.name, " AND owner = ", request.owner);
    ask.each([&](row& cells) { found = grant_in(cells); });
    return found;
}

std::optional<row_state> table_row::read(std::string const& name)
{
    std::optional<row_state> found;
    statement ask(sql_);
    ask.select("owner IS NOT NULL", "token", "renew_seq", "ttl_us", "renewed_at", "boot").column({""})(now_);
    ask(" FROM ", table_, " WHERE name = ", name);
    ask.each([&](row& cells) {
        auto& state = found.emplace();
        state.owned = cells.flag();
        state.token = cells.number();
        state.renew_seq = cells.number();
        state.ttl = duration{cells.number()};
        auto const renewed = cells.number();
        bool const this_boot = cells.text() == boot_;
        state.age = duration{cells.number() - renewed};
        state.expired = !this_boot || state.age >= state.ttl;
    });
    return found;
}

bool table_row::renew(acquisition_request const& request, std::int64_t token)
{
    statement update(sql_, "UPDATE ", table_, " SET renewed_at = ", now_, ", renew_seq = renew_seq + 1");
    update(" WHERE name = ", request.name, " AND owner = ", request.owner, " AND token = ", token,
           " AND boot = ", boot_, " AND ", now_, " - renewed_at < ttl_us");
    return update.execute() == 1;
}

bool table_row::remove(acquisition_request const& request)
{
    auto const mine = granted(request);
    if (!mine)
        return false;
    raise_floor(sql_, kind_, mine->token);
    statement gone(sql_, "DELETE FROM ", table_, " WHERE name = ", request.name, " AND owner = ", request.owner);
    return gone(" AND token = ", mine->token).execute() == 1;
}

bool table_row::release(acquisition_request const& request, std::optional<std::int64_t> token)
{
    statement update(sql_, "UPDATE ", table_, " SET owner = NULL, renewed_at = ", now_, ", renew_seq = renew_seq + 1");
    update(" WHERE name = ", request.name, " AND owner = ", request.owner);
    if (token)
        update(" AND token = ", *token);
    return update.execute() == 1;
}

} // namespace baton::lock
