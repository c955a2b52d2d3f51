#include "libs/lease/clocked_row.hpp"

namespace baton::lease {

namespace {

// The two comments make one expression: MariaDB skips those that name a version of MySQL, and MySQL those with an M.
// server_uid is a hash of a port and a MAC address, server_id mostly 1, and hosts are called alike: hence all of them.
constexpr dialect mysql{
    {"UTC_TIMESTAMP(6)"},
    {"TIMESTAMPDIFF(MICROSECOND, update_time, UTC_TIMESTAMP(6))"},
    {"TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))"},
    {"CONCAT('baton:', SHA1(CONCAT(DATABASE(), '/', "}, // at most 64 characters
    {")))"},
    {"GET_LOCK("},
    {"RELEASE_LOCK("},
    {"IS_USED_LOCK("},
    {"CONNECTION_ID()"},
    {"SHA2(CONCAT_WS(':', /*!50700 @@global.server_uuid *//*M! @@global.server_uid */, @@global.hostname, "
     "@@global.port, @@global.server_id), 256)"},
    {"KILL QUERY "},
    {"KILL "},
    {""},
};
constexpr dialect sqlite{
    {"baton_now_us()"},
    {"(baton_now_us() - update_time)"},
    {"baton_now_us()"},
    {"('baton:' || "},
    {")"},
    {"baton_get_lock("},
    {"baton_release_lock("},
    {"baton_lock_holder("},
    {"baton_connection_id()"},
    {"baton_server_id()"},
    {"SELECT baton_kill_query("},
    {"SELECT baton_kill("},
    {")"},
};

} // namespace

dialect const& dialect_of(storage::engine engine)
{
    return engine == storage::engine::mysql ? mysql : sqlite;
}

void select_holder(storage::statement& ask)
{
    ask.select("owner", "version", "renew_seq", "ttl_us", "guard_conn", "guard_server", "guard_us", "owner_addr");
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
    return lease;
}

void select_lease(storage::statement& ask, dialect const& sql)
{
    select_holder(ask);
    ask.column(sql.age).column(sql.utc);
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
