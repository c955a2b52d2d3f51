#include "libs/storage/signals.hpp"

#include "libs/storage/statement.hpp"

#include <algorithm>

namespace baton::storage {

namespace {

std::optional<protocol::signal_kind> known_kind(std::string const& text)
{
    try {
        return protocol::parse<protocol::signal_kind>(text, "kind");
    } catch (invalid_input const&) {
        return std::nullopt;
    }
}

void select_signals(statement& ask, protocol::namespace_id name_space)
{
    ask.select("id", "kind", "subject", "created_at")(" FROM `signal`", by_index{"signal_time"},
                                                      " WHERE namespace = ", name_space, " AND created_at ");
}

std::vector<signal_record> read_signals(statement& ask, int limit)
{
    std::vector<signal_record> found;
    ask(" ORDER BY created_at, id LIMIT ", limit);
    ask.each([&](row& cells) {
        auto& signal = found.emplace_back();
        signal.id = cells.name<signal_id>();
        signal.text = cells.text();
        signal.kind = known_kind(signal.text);
        signal.subject = cells.number();
        signal.created_at = cells.moment();
    });
    return found;
}

} // namespace

awaitable<std::vector<signal_record>> signals::pending(duration back, utc_time floor, int limit)
{
    auto const work = [&](soci::session& sql) {
        statement ask(sql);
        select_signals(ask, name_space_);
        ask(">= CASE WHEN ", floor, " < ", now_us(sql), " - ", back, " THEN ", floor, " ELSE ", now_us(sql), " - ",
            back, " END");
        return read_signals(ask, limit);
    };
    co_return co_await shared_.run(work);
}

awaitable<std::vector<signal_record>> signals::older(duration back, int limit)
{
    auto const work = [&](soci::session& sql) {
        statement ask(sql);
        select_signals(ask, name_space_);
        ask("< ", now_us(sql), " - ", back);
        return read_signals(ask, limit);
    };
    co_return co_await shared_.run(work);
}

awaitable<void> signals::remove(std::vector<signal_id> const& ids)
{
    auto const work = [&](soci::session& sql) {
        for (auto const chunk : chunks(sql, ids, 1))
            statement(sql, "DELETE FROM `signal` WHERE id IN ").in(chunk).execute();
    };
    co_await shared_.run(work);
}

} // namespace baton::storage
