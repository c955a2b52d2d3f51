#include "locks/sql/shared_row.hpp"

#include "locks/sql/table_row.hpp"

#include <algorithm>

namespace baton::lock {

using storage::row;
using storage::statement;

shared_holder const* shared_state::find(std::string const& owner) const
{
    auto const found =
        std::find_if(holders.begin(), holders.end(), [&](shared_holder const& each) { return each.owner == owner; });
    return found == holders.end() ? nullptr : &*found;
}

std::vector<lock_share> shared_state::live() const
{
    std::vector<lock_share> shares;
    for (auto const& each : holders)
        if (!each.expired)
            shares.push_back(each.share);
    return shares;
}

shared_row::shared_row(soci::session& sql, char const* set, std::string const& boot, instant sent)
    : sql_(sql), set_(set), boot_(boot), now_(row_time(sql, sent))
{}

statement& shared_row::where(statement& update, std::string const& name, std::string const& owner)
{
    return update(" WHERE kind = ", set_, " AND name = ", name, " AND owner = ", owner);
}

std::optional<shared_state> shared_row::read(std::string const& name)
{
    shared_state state;
    bool found = false;
    statement ask(sql_);
    ask.select("owner", "token", "weight", "capacity", "ttl_us", "renewed_at", "room_kept_until", "boot");
    ask.column({""})(now_, " FROM lock_shared WHERE kind = ", set_, " AND name = ", name);
    ask.each([&](row& cells) {
        shared_holder each;
        each.owner = cells.text();
        each.token = cells.number();
        each.share.weight = cells.number();
        each.share.capacity = cells.number();
        auto const ends_at = cells.number() + cells.number();
        auto const room_until = cells.number();
        bool const this_boot = cells.text() == boot_;
        auto const now = cells.number();
        each.left = duration{ends_at - now};
        each.expired = !this_boot || each.left <= duration{};
        if (!each.owner.empty()) {
            state.holders.push_back(std::move(each));
            return;
        }
        found = true;
        state.token = each.token;
        state.room_reserved = this_boot ? std::max(duration{room_until - now}, duration{}) : duration{};
    });
    return found ? std::optional(std::move(state)) : std::nullopt;
}

void shared_row::insert_name(std::string const& name)
{
    // Reads the floor under a lock, so that no reaper raises it at the same time.
    statement insert(sql_,
                     "INSERT INTO lock_shared (kind, name, owner, token, weight, capacity, ttl_us, renewed_at, "
                     "room_kept_until, boot, label) SELECT ",
                     set_, ", ", name, ", '', token, 0, 0, 0, ");
    insert(now_, ", 0, ", boot_, ", '' FROM lock_floor WHERE kind = ", set_, storage::for_update(sql_));
    if (insert.execute() != 1)
        throw unavailable("the table lock_floor lacks the row of a kind of lock: create the tables of locks again");
}

bool shared_row::remove_expired(acquisition_request const& request, shared_holder const& holder)
{
    statement gone(sql_, "DELETE FROM lock_shared");
    where(gone, request.name, holder.owner)(" AND (boot <> ", boot_, " OR ", now_, " - renewed_at >= ttl_us)");
    return gone.execute() == 1;
}

// If the token is as it was read, this selects two rows. The first is the name's, which exists and is updated.
std::optional<std::int64_t> shared_row::insert_holder(acquisition_request const& request, shared_state const& seen)
{
    auto const token = seen.token + 1;
    statement take(sql_,
                   "INSERT INTO lock_shared (kind, name, owner, token, weight, capacity, ttl_us, renewed_at, "
                   "room_kept_until, boot, label) SELECT s.kind, s.name, x.owner, ",
                   token, ", x.weight, x.capacity, x.ttl_us, ");
    take(now_, ", 0, ", boot_, ", x.label FROM lock_shared s CROSS JOIN (");
    take("SELECT '' AS owner, 0 AS weight, 0 AS capacity, 0 AS ttl_us, '' AS label UNION ALL SELECT ", request.owner,
         ", ", request.share.weight, ", ", request.share.capacity, ", ", request.ttl, ", ", request.label, ") x");
    take(" WHERE s.kind = ", set_, " AND s.name = ", request.name, " AND s.owner = '' AND s.token = ", seen.token);
    take(storage::for_update(sql_));
    take.on_taken("kind, name, owner", {"token", "renewed_at", "boot"});
    if (request.share.weight == request.share.capacity)
        take(", room_kept_until = 0");
    return take.execute() == 0 ? std::nullopt : std::optional(token);
}

void shared_row::reserve_room(acquisition_request const& request, duration span)
{
    statement keep(sql_, "UPDATE lock_shared SET room_kept_until = ", now_, " + ", span, ", boot = ", boot_);
    where(keep, request.name, "").execute();
}

bool shared_row::renew(acquisition_request const& request, std::int64_t token)
{
    statement update(sql_, "UPDATE lock_shared SET renewed_at = ", now_);
    where(update, request.name, request.owner)(" AND token = ", token, " AND boot = ", boot_, " AND ", now_,
                                               " - renewed_at < ttl_us");
    return update.execute() == 1;
}

bool shared_row::release(acquisition_request const& request)
{
    statement gone(sql_, "DELETE FROM lock_shared");
    return where(gone, request.name, request.owner).execute() == 1;
}

} // namespace baton::lock
