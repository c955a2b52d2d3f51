#include "libs/storage/database.hpp"
#include "locks/sql/table_row.hpp"

#include <vector>

namespace baton::lock {

namespace {

constexpr int rows_at_once = 500;

struct left_over {
    std::string name;
    std::int64_t token;
    std::int64_t renew_seq;
};

// A record that is owned and expired has been left by a holder that is no more. Of a lease the database's clock alone
// cannot say so: the next who wants it takes it over.
std::vector<left_over> find(soci::session& sql, expiry_rule how, std::string const& boot, instant sent, duration age)
{
    auto const now = row_time(sql, sent);
    std::vector<left_over> found;
    storage::statement ask(sql);
    ask.select("name", "token", "renew_seq")(" FROM ", table_of(how), " WHERE boot <> ", boot, " OR (", now,
                                             " - renewed_at >= ", age, " AND (owner IS NULL");
    if (how == expiry_rule::record)
        ask(" OR ", now, " - renewed_at >= ttl_us");
    ask(")) LIMIT ", rows_at_once);
    ask.each([&](storage::row& cells) {
        left_over each;
        each.name = cells.text();
        each.token = cells.number();
        each.renew_seq = cells.number();
        found.push_back(std::move(each));
    });
    return found;
}

std::size_t remove(soci::session& sql, expiry_rule how, left_over const& what)
{
    raise_floor(sql, name_of(how), what.token);
    storage::statement gone(sql, "DELETE FROM ", table_of(how), " WHERE name = ", what.name,
                            " AND token = ", what.token);
    gone(" AND renew_seq = ", what.renew_seq);
    return static_cast<std::size_t>(gone.execute());
}

} // namespace

awaitable<std::size_t> reap(expiry_rule how, storage::database& shared, time_source& time, duration age)
{
    auto const boot = row_boot(shared);
    std::size_t removed = 0;
    for (;;) {
        auto const sent = time.now();
        auto const look = [&](soci::session& sql) { return find(sql, how, boot, sent, age); };
        auto const found = co_await shared.run(look);
        std::size_t now_removed = 0;
        for (auto const& each : found) {
            auto const work = [&](soci::session& sql) { return remove(sql, how, each); };
            now_removed += co_await shared.run(work);
        }
        removed += now_removed;
        if (found.size() < rows_at_once || now_removed == 0)
            co_return removed;
    }
}

} // namespace baton::lock
