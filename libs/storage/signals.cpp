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

} // namespace

awaitable<std::vector<signal_record>> signals::pending(int limit)
{
    std::vector<signal_record> found;
    auto const work = [&](soci::session& sql) {
        found.clear();
        statement(sql)
            .select("id", "kind", "subject")(" FROM `signal` ORDER BY id LIMIT ", limit)
            .each([&](row& cells) {
                auto& signal = found.emplace_back();
                signal.id = cells.name<signal_id>();
                signal.text = cells.text();
                signal.kind = known_kind(signal.text);
                signal.subject = cells.number();
            });
    };
    co_await shared_.run(work);
    co_return found;
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
