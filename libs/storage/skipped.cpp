#include "libs/storage/skipped.hpp"

#include "libs/storage/rows.hpp"
#include "libs/storage/tasks.hpp"

#include <algorithm>

namespace baton::storage {

namespace {

void insert_rows(soci::session& sql, protocol::term_id term, skipped_firings const& some)
{
    statement insert(sql,
                     "INSERT INTO execution (id, namespace, project, task_id, task_version, scheduled_at, run_key, "
                     "cause, state, attempt, max_attempts, retry_delay_us, epoch, reason, created_at, ended_at) "
                     "VALUES ");
    for (std::size_t i = 0; i < some.firings.size(); ++i)
        insert(fragment{i == 0 ? "(" : ", ("}, some.ids[i], ", ", term.name_space, ", ", some.project, ", ", some.task,
               ", ", some.version, ", ", some.firings[i], ", 0, 'schedule', 'skipped', 1, 1, 0, ", term.epoch, ", ",
               fitting(some.reason, longest_reason), ", ", now_us(sql), ", ", now_us(sql), ")");
    insert.execute();
}

void insert_range(soci::session& sql, protocol::term_id term, skipped_firings const& some)
{
    statement(
        sql,
        "INSERT INTO skipped_range (task_id, namespace, first_at, last_at, firings, task_version, reason, created_at) "
        "VALUES (",
        some.task, ", ", term.name_space, ", ", some.firings.front(), ", ", some.firings.back(), ", ",
        some.firings.size(), ", ", some.version, ", ", fitting(some.reason, longest_reason), ", ", now_us(sql), ")")
        .execute();
}

} // namespace

std::vector<skipped_firings> divide_skipped(skipped_firings all, std::function<execution_id()> const& make_id)
{
    std::vector<skipped_firings> parts;
    if (all.firings.empty())
        return parts;
    if (all.firings.size() <= most_skipped_rows) {
        while (all.ids.size() < all.firings.size())
            all.ids.push_back(make_id());
        parts.push_back(std::move(all));
        return parts;
    }
    auto const firings = std::exchange(all.firings, {});
    for (std::size_t from = 0; from < firings.size(); from += most_in_a_range) {
        auto const count = std::min(most_in_a_range, firings.size() - from);
        auto& part = parts.emplace_back(all);
        auto const begin = firings.begin() + static_cast<std::ptrdiff_t>(from);
        part.firings.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
    }
    return parts;
}

std::vector<skipped_firings> skips_on_request(task_id task, int version, protocol::task_definition const& definition,
                                              std::vector<utc_time> const& firings,
                                              std::function<execution_id()> const& make_id)
{
    std::vector<skipped_firings> parts;
    for (auto const at : firings) {
        auto const* const skip = protocol::skip_of(definition.schedule.skips, at);
        auto reason = skip != nullptr ? to_text(*skip) : std::string("skipped on request");
        if (parts.empty() || parts.back().reason != reason)
            parts.push_back({task, version, definition.project, std::move(reason), {}, {}});
        parts.back().firings.push_back(at);
        parts.back().ids.push_back(make_id());
    }
    return parts;
}

void insert_skipped(soci::session& sql, protocol::term_id term, std::vector<skipped_firings> const& parts)
{
    for (auto const& part : parts) {
        if (part.ids.empty())
            insert_range(sql, term, part);
        else
            insert_rows(sql, term, part);
    }
}

awaitable<std::vector<skipped_range>> tasks::skipped_ranges(task_id id, std::optional<utc_time> before, int limit)
{
    std::vector<skipped_range> found;
    auto const work = [&](soci::session& sql) {
        found.clear();
        statement ask(sql);
        ask.select("first_at", "last_at", "firings", "task_version", "reason", "created_at");
        ask(" FROM skipped_range WHERE namespace = ", name_space_, " AND task_id = ", id);
        if (before)
            ask(" AND first_at < ", *before);
        ask(" ORDER BY first_at DESC LIMIT ", limit);
        ask.each([&](row& cells) {
            auto& range = found.emplace_back();
            range.first = cells.moment();
            range.last = cells.moment();
            range.firings = cells.small();
            range.version = cells.small();
            range.reason = cells.text();
            range.created_at = cells.moment();
        });
    };
    co_await shared_.run(work);
    co_return found;
}

} // namespace baton::storage
