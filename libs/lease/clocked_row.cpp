#include "libs/lease/clocked_row.hpp"

namespace baton::lease {

void select_holder(storage::statement& ask)
{
    ask.select("owner", "version", "renew_seq", "ttl_us", "guard_conn", "guard_server", "guard_us", "owner_addr", "id");
}

lease_row read_holder(storage::row& cells)
{
    lease_row lease;
    lease.owner = cells.maybe_text();
    lease.epoch = cells.number();
    lease.renew_seq = cells.number();
    lease.ttl = duration{cells.number()};
    lease.guard_conn = cells.number();
    lease.guard_server = cells.text();
    lease.guard = duration{cells.number()};
    lease.owner_addr = cells.text();
    lease.id = cells.number();
    return lease;
}

void select_lease(storage::statement& ask, soci::session& session)
{
    select_holder(ask);
    ask.column(storage::dialect_of(session).clock().age).column(storage::now_us(session));
}

lease_row read_lease(storage::row& cells)
{
    auto lease = read_holder(cells);
    lease.age = duration{cells.number()};
    lease.utc = cells.moment();
    lease.expired = !lease.owner || lease.age >= lease.ttl;
    return lease;
}

bool clear_guard(soci::session& session, std::string const& name_space, std::string const& owner, std::int64_t epoch)
{
    storage::statement clear(session, "UPDATE `lock` SET guard_conn = 0, guard_server = '', guard_us = 0");
    clear(" WHERE namespace = ", name_space, " AND owner = ", owner, " AND version = ", epoch);
    return clear.execute() == 1;
}

} // namespace baton::lease
