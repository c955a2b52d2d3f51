#include "libs/storage/late_reports.hpp"

#include "libs/storage/executions.hpp"
#include "libs/storage/rows.hpp"

#include <map>

namespace baton::storage {

namespace {

// The executions among these of which a report is awaited, with the attempt.
std::map<std::int64_t, int> awaited_among(soci::session& sql, std::span<result_row const> results)
{
    std::map<std::int64_t, int> awaited;
    std::vector<execution_id> ids;
    ids.reserve(results.size());
    for (auto const& each : results)
        ids.push_back(each.id);
    for (auto const chunk : chunks(sql, ids, 1)) {
        statement ask(sql);
        ask.select("execution_id", "attempt")(" FROM late_report WHERE outcome IS NULL AND execution_id IN ");
        ask.in(chunk).each([&](row& cells) {
            auto const id = cells.number();
            awaited[id] = cells.small();
        });
    }
    return awaited;
}

} // namespace

void expect_late_report(soci::session& sql, execution_id id, int attempt)
{
    statement(sql, "INSERT INTO late_report (execution_id, attempt) VALUES (", id, ", ", attempt, ")").execute();
}

void note_late_reports(soci::session& sql, std::span<result_row const> results)
{
    auto const awaited = awaited_among(sql, results);
    for (auto const& each : results) {
        auto const found = awaited.find(each.id.value());
        if (found == awaited.end() || found->second != each.attempt || each.outcome == protocol::state::running)
            continue;
        statement(sql, "UPDATE late_report SET outcome = ", protocol::to_string(each.outcome),
                  ", client = ", fitting_name(each.client, longest_name), ", finished_at = ", each.finished_at,
                  ", reported_at = ", now_us(sql), ", result = ", each.value,
                  ", error = ", each.error.empty() ? std::nullopt : std::optional(each.error),
                  " WHERE execution_id = ", each.id, " AND outcome IS NULL")
            .execute();
    }
}

awaitable<std::optional<late_report>> executions::late(execution_id id)
{
    std::optional<late_report> found;
    auto const work = [&](soci::session& sql) {
        found.reset();
        statement ask(sql);
        ask.select("attempt", "outcome", "client", "finished_at", "reported_at", "result", "error");
        ask(" FROM late_report WHERE outcome IS NOT NULL AND execution_id = ", id);
        ask.each([&](row& cells) {
            auto& one = found.emplace();
            one.attempt = cells.small();
            one.outcome = protocol::parse<protocol::state>(cells.text(), "outcome");
            one.client = cells.text();
            one.finished_at = cells.maybe_moment();
            one.reported_at = cells.moment();
            one.result = cells.maybe_text();
            one.error = cells.maybe_text();
        });
    };
    co_await shared_.run(work);
    co_return found;
}

} // namespace baton::storage
