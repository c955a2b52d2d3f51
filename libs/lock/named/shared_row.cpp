#include "libs/lock/named/shared_row.hpp"

#include "libs/lock/named/table_row.hpp"

#include <algorithm>

namespace baton::lock {

using storage::query;
using storage::row;

shared_holder const* shared_state::find(std::string const& owner) const
{
    auto const found =
        std::find_if(holders.begin(), holders.end(), [&](shared_holder const& each) { return each.owner == owner; });
    return found == holders.end() ? nullptr : &*found;
}

std::vector<share> shared_state::live() const
{
    std::vector<share> shares;
    for (auto const& each : holders)
        if (!each.expired)
            shares.push_back(each.of);
    return shares;
}

shared_row::shared_row(soci::session& sql, char const* set, std::string const& boot, instant sent)
    : sql_(sql), set_(set), boot_(boot), now_(row_time(sql, sent))
{}

// The name's row first: what of its holders is committed then stays as it is, but for what is renewed or released.
std::optional<shared_state> shared_row::read(std::string const& name, bool lock)
{
    std::optional<shared_state> found;
    query ask(sql_);
    ask.select("token", "room_kept_until", "boot").column({""})(now_);
    ask(" FROM lock_shared WHERE kind = ", set_, " AND name = ", name);
    if (lock)
        ask(storage::for_update(sql_));
    ask.each([&](row& cells) {
        auto& state = found.emplace();
        state.token = cells.number();
        auto const until = cells.number();
        bool const this_boot = cells.text() == boot_;
        auto const left = duration{until - cells.number()};
        state.room_kept = this_boot ? std::max(left, duration{}) : duration{};
    });
    if (!found)
        return found;
    query holders(sql_);
    holders.select("owner", "token", "weight", "capacity", "ttl_us", "renewed_at", "boot").column({""})(now_);
    holders(" FROM lock_shared_holder WHERE kind = ", set_, " AND name = ", name);
    holders.each([&](row& cells) {
        shared_holder each;
        each.owner = cells.text();
        each.token = cells.number();
        each.of.weight = cells.number();
        each.of.capacity = cells.number();
        auto const ttl = cells.number();
        auto const renewed = cells.number();
        bool const this_boot = cells.text() == boot_;
        each.left = duration{renewed + ttl - cells.number()};
        each.expired = !this_boot || each.left <= duration{};
        found->holders.push_back(std::move(each));
    });
    return found;
}

void shared_row::make(std::string const& name)
{
    // The floor is read under a lock, so that no reaper is between its deletion and its raise.
    query insert(sql_, "INSERT INTO lock_shared (kind, name, token, room_kept_until, used_at, boot) SELECT ", set_,
                 ", ", name);
    insert(", token, 0, ", now_, ", ", boot_, " FROM lock_floor WHERE kind = ", set_, storage::for_update(sql_));
    if (insert.execute() != 1)
        throw unavailable("the table lock_floor lacks a row: create the tables anew");
}

query& shared_row::of_holder(query& statement, bid const& offer, std::string const& owner)
{
    return statement(" WHERE kind = ", set_, " AND name = ", offer.name, " AND owner = ", owner);
}

bool shared_row::remove_expired(bid const& offer, shared_holder const& holder)
{
    query gone(sql_, "DELETE FROM lock_shared_holder");
    of_holder(gone, offer, holder.owner)(" AND (boot <> ", boot_, " OR ", now_, " - renewed_at >= ttl_us)");
    return gone.execute() == 1;
}

std::int64_t shared_row::insert(bid const& offer, shared_state const& seen)
{
    auto const token = seen.token + 1;
    query count(sql_, "UPDATE lock_shared SET token = ", token, ", used_at = ", now_, ", boot = ", boot_);
    if (offer.of.weight == offer.of.capacity)
        count(", room_kept_until = 0");
    count(" WHERE kind = ", set_, " AND name = ", offer.name).execute();
    query take(sql_, "INSERT INTO lock_shared_holder "
                     "(kind, name, owner, token, weight, capacity, ttl_us, renewed_at, boot, label) VALUES (");
    take(set_, ", ", offer.name, ", ", offer.owner, ", ", token, ", ", offer.of.weight, ", ", offer.of.capacity, ", ",
         offer.ttl, ", ", now_, ", ", boot_, ", ", offer.label, ")");
    take.execute();
    return token;
}

void shared_row::keep_room(bid const& offer, duration span)
{
    query keep(sql_, "UPDATE lock_shared SET room_kept_until = ", now_, " + ", span, ", boot = ", boot_);
    keep(" WHERE kind = ", set_, " AND name = ", offer.name).execute();
}

bool shared_row::renew(bid const& offer, std::int64_t token)
{
    query update(sql_, "UPDATE lock_shared_holder SET renewed_at = ", now_);
    of_holder(update, offer, offer.owner)(" AND token = ", token, " AND boot = ", boot_, " AND ", now_,
                                          " - renewed_at < ttl_us");
    return update.execute() == 1;
}

bool shared_row::release(bid const& offer)
{
    query gone(sql_, "DELETE FROM lock_shared_holder");
    return of_holder(gone, offer, offer.owner).execute() == 1;
}

} // namespace baton::lock
