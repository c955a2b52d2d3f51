// Requests to stop handlers: state `stopping` and the table `stop_request`.

#include "libs/storage/executions.hpp"
#include "libs/storage/free_executions.hpp"
#include "libs/storage/ledger.hpp"
#include "libs/storage/rows.hpp"

#include <map>

namespace baton::storage {

namespace {

// False if the attempt has a result.
bool set_stopping(soci::session& sql, stop_request const& one)
{
    return statement(sql, "UPDATE execution SET state = 'stopping' WHERE id = ", one.id, " AND attempt = ", one.attempt,
                     " AND due_at IS NOT NULL AND state IN ('planned', 'running', 'stopping')")
               .execute() == 1;
}

// The first request of an attempt stays.
void insert_stop_request(soci::session& sql, stop_request const& one)
{
    bool known = false;
    statement(sql)
        .select("COUNT(*)")(" FROM stop_request WHERE execution_id = ", one.id, " AND attempt = ", one.attempt)
        .each([&](row& cells) { known = cells.flag(); });
    if (known)
        return;
    statement(sql, "INSERT INTO stop_request (execution_id, attempt, cause, requested_at) VALUES (", one.id, ", ",
              one.attempt, ", ", protocol::to_string(one.why), ", ", now_us(sql), " - ", one.ago, ")")
        .execute();
}

} // namespace

awaitable<std::vector<execution_id>> ledger::note_stops(fence mine, std::vector<stop_request> const& requests)
{
    std::vector<execution_id> ids;
    ids.reserve(requests.size());
    for (auto const& each : requests)
        ids.push_back(each.id);
    auto const work = [&](soci::session& sql) {
        touch_fence(sql, mine);
        auto some = lock_executions(sql, ids);
        auto const free = items_of(some.free, requests);
        for (auto const& each : free)
            if (set_stopping(sql, each))
                insert_stop_request(sql, each);
        return std::move(some.locked);
    };
    co_return co_await deciding_.transact(work);
}

void add_stops(soci::session& sql, std::vector<open_execution_row>& rows)
{
    std::map<execution_id, open_execution_row*> stopping;
    std::vector<execution_id> ids;
    for (auto& each : rows)
        if (each.state == protocol::state::stopping) {
            stopping[each.id] = &each;
            ids.push_back(each.id);
        }
    for (auto const chunk : chunks(sql, ids, 1)) {
        statement ask(sql);
        ask.select("execution_id", "attempt", "cause", "requested_at")(" FROM stop_request WHERE execution_id IN ");
        ask.in(chunk).each([&](row& cells) {
            auto& one = *stopping.at(cells.name<execution_id>());
            auto const attempt = cells.small();
            auto const why = protocol::parse<protocol::stop_cause>(cells.text(), "cause");
            auto const at = cells.moment();
            if (attempt == one.attempt)
                one.stop = {attempt, why, at};
        });
    }
}

awaitable<std::vector<stop_record>> executions::stops(execution_id id)
{
    std::vector<stop_record> found;
    auto const work = [&](soci::session& sql) {
        found.clear();
        statement ask(sql);
        ask.select("attempt", "cause", "requested_at");
        ask(" FROM stop_request WHERE execution_id = ", id, " ORDER BY attempt");
        ask.each([&](row& cells) {
            auto& one = found.emplace_back();
            one.attempt = cells.small();
            one.why = protocol::parse<protocol::stop_cause>(cells.text(), "cause");
            one.requested_at = cells.moment();
        });
    };
    co_await shared_.run(work);
    co_return found;
}

} // namespace baton::storage
