#include "libs/storage/database.hpp"
#include "locks/sql/table_row.hpp"

#include <vector>

namespace baton::lock {

namespace {

constexpr int rows_at_once = 500;

struct free_row {
    std::string name;
    std::int64_t token;
    std::int64_t renew_seq;
};

// A record that is owned and expired belonged to a dead holder. For a lease the database's clock alone cannot prove
// that, so the next waiter takes it over instead.
std::vector<free_row> find_free(soci::session& sql, expiry_rule rule, std::string const& boot, instant sent,
                                duration age)
{
    auto const now = row_time(sql, sent);
    std::vector<free_row> found;
    storage::statement ask(sql);
    ask.select("name", "token", "renew_seq")(" FROM ", table_of(rule), " WHERE boot <> ", boot, " OR (", now,
                                             " - renewed_at >= ", age, " AND (owner IS NULL");
    if (rule == expiry_rule::record)
        ask(" OR ", now, " - renewed_at >= ttl_us");
    ask(")) LIMIT ", rows_at_once);
    ask.each([&](storage::row& cells) {
        free_row each;
        each.name = cells.text();
        each.token = cells.number();
        each.renew_seq = cells.number();
        found.push_back(std::move(each));
    });
    return found;
}

std::size_t remove_free(soci::session& sql, expiry_rule rule, free_row const& row)
{
    raise_floor(sql, name_of(rule), row.token);
    storage::statement gone(sql, "DELETE FROM ", table_of(rule), " WHERE name = ", row.name,
                            " AND token = ", row.token);
    gone(" AND renew_seq = ", row.renew_seq);
    return static_cast<std::size_t>(gone.execute());
}

} // namespace

awaitable<std::size_t> reap(expiry_rule rule, storage::database& shared, time_source& time, duration age)
{
    auto const boot = row_boot(shared);
    std::size_t removed = 0;
    for (;;) {
        auto const sent = time.now();
        auto const find = [&](soci::session& sql) { return find_free(sql, rule, boot, sent, age); };
        auto const found = co_await shared.run(find);
        std::size_t now_removed = 0;
        for (auto const& each : found) {
            auto const work = [&](soci::session& sql) { return remove_free(sql, rule, each); };
            now_removed += co_await shared.run(work);
        }
        removed += now_removed;
        if (found.size() < rows_at_once || now_removed == 0)
            co_return removed;
    }
}

} // namespace baton::lock
