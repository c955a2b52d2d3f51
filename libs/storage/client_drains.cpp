#include "libs/storage/clients.hpp"
#include "libs/storage/statement.hpp"

namespace baton::storage {

namespace {

struct drain_row {
    bool known = false; // and not gone
    bool drained = false;
    std::string node;
};

drain_row lock_row(soci::session& sql, std::string const& instance)
{
    drain_row found;
    statement ask(sql);
    ask.select("node", "drained_at")(" FROM client WHERE state <> 'gone' AND instance = ", instance, for_update(sql));
    ask.each([&](row& cells) {
        found.known = true;
        found.node = cells.text();
        found.drained = cells.maybe_moment().has_value();
    });
    return found;
}

drain_change change_for(drain_row const& before, bool wanted)
{
    drain_change out;
    out.outcome = !before.known              ? drain_outcome::not_found
                  : before.drained == wanted ? drain_outcome::already
                                             : drain_outcome::done;
    out.node = before.node;
    return out;
}

} // namespace

awaitable<drain_change> clients::drain(std::string instance, std::string by, std::string reason)
{
    drain_change out;
    auto const work = [&](soci::session& sql) {
        out = change_for(lock_row(sql, instance), true);
        if (out.outcome == drain_outcome::done)
            statement(sql, "UPDATE client SET drained_at = ", now_us(sql), ", drained_by = ", by,
                      ", drain_reason = ", reason, ", changed_at = ", now_us(sql), " WHERE instance = ", instance)
                .execute();
    };
    co_await shared_.transact(work);
    co_return out;
}

awaitable<drain_change> clients::resume(std::string instance)
{
    drain_change out;
    auto const work = [&](soci::session& sql) {
        out = change_for(lock_row(sql, instance), false);
        if (out.outcome == drain_outcome::done)
            statement(sql, "UPDATE client SET drained_at = NULL, drained_by = '', drain_reason = '', changed_at = ",
                      now_us(sql), " WHERE instance = ", instance)
                .execute();
    };
    co_await shared_.transact(work);
    co_return out;
}

} // namespace baton::storage
