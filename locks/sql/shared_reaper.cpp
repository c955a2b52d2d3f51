#include "libs/storage/database.hpp"
#include "locks/sql/shared_kind.hpp"
#include "locks/sql/table_row.hpp"

#include <vector>

namespace baton::lock {

namespace {

constexpr int names_at_once = 500;

struct idle_name {
    std::string set;
    std::string name;
    std::int64_t token;
};

struct dead_holder {
    std::string set;
    std::string name;
    std::string owner;
};

// Adds the condition that a holder expired at least `age` ago.
void add_expired_for(storage::statement& condition, std::string const& boot, storage::operand const& now, duration age)
{
    condition("(boot <> ", boot, " OR (", now, " - renewed_at >= ttl_us AND ", now, " - renewed_at >= ", age, "))");
}

std::vector<dead_holder> find_dead(soci::session& sql, std::string const& boot, storage::operand const& now,
                                   duration age)
{
    std::vector<dead_holder> found;
    storage::statement ask(sql);
    ask.select("kind", "name", "owner")(" FROM lock_shared WHERE owner <> '' AND ");
    add_expired_for(ask, boot, now, age);
    ask(" LIMIT ", names_at_once);
    ask.each([&](storage::row& cells) {
        dead_holder each;
        each.set = cells.text();
        each.name = cells.text();
        each.owner = cells.text();
        found.push_back(std::move(each));
    });
    return found;
}

// A holder that renewed meanwhile stays.
std::size_t remove_dead(soci::session& sql, std::string const& boot, instant sent, duration age)
{
    auto const now = row_time(sql, sent);
    std::size_t removed = 0;
    for (auto const& each : find_dead(sql, boot, now, age)) {
        storage::statement gone(sql, "DELETE FROM lock_shared WHERE kind = ", each.set, " AND name = ", each.name);
        gone(" AND owner = ", each.owner, " AND ");
        add_expired_for(gone, boot, now, age);
        removed += static_cast<std::size_t>(gone.execute());
    }
    return removed;
}

std::vector<idle_name> find_idle(soci::session& sql, std::string const& boot, instant sent, duration age)
{
    auto const now = row_time(sql, sent);
    std::vector<idle_name> found;
    storage::statement ask(sql);
    ask.select("kind", "name", "token")(" FROM lock_shared WHERE owner = '' AND (boot <> ", boot, " OR ", now,
                                        " - renewed_at >= ", age);
    ask(") AND NOT EXISTS (SELECT 1 FROM lock_shared h WHERE h.kind = lock_shared.kind "
        "AND h.name = lock_shared.name AND h.owner <> '') LIMIT ",
        names_at_once);
    ask.each([&](storage::row& cells) {
        idle_name each;
        each.set = cells.text();
        each.name = cells.text();
        each.token = cells.number();
        found.push_back(std::move(each));
    });
    return found;
}

// A grant since find_idle() would have raised the token, so the condition on it protects new holders.
std::size_t remove_idle(soci::session& sql, idle_name const& idle)
{
    raise_floor(sql, idle.set, idle.token);
    storage::statement gone(sql, "DELETE FROM lock_shared WHERE kind = ", idle.set, " AND name = ", idle.name);
    return static_cast<std::size_t>(gone(" AND owner = '' AND token = ", idle.token).execute());
}

} // namespace

awaitable<std::size_t> reap_shared(storage::database& shared, time_source& time, duration age)
{
    auto const boot = row_boot(shared);
    for (;;) {
        auto const sent = time.now();
        auto const work = [&](soci::session& sql) { return remove_dead(sql, boot, sent, age); };
        auto const removed = co_await shared.run(work);
        if (removed == 0)
            break;
    }
    std::size_t removed = 0;
    for (;;) {
        auto const sent = time.now();
        auto const look = [&](soci::session& sql) { return find_idle(sql, boot, sent, age); };
        auto const found = co_await shared.run(look);
        std::size_t now_removed = 0;
        for (auto const& each : found) {
            auto const work = [&](soci::session& sql) { return remove_idle(sql, each); };
            now_removed += co_await shared.run(work);
        }
        removed += now_removed;
        if (found.size() < names_at_once || now_removed == 0)
            co_return removed;
    }
}

} // namespace baton::lock
