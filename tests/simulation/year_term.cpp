#include "tests/simulation/year_term.hpp"

#include <spdlog/fmt/fmt.h>

namespace year_sim {

using namespace asio::experimental::awaitable_operators;

namespace {

trigger::planner_settings settings_of_year()
{
    trigger::planner_settings out;
    out.look_ahead = look_ahead;
    return out;
}

} // namespace

one_term::one_term(year& on, std::int64_t epoch)
    : of_year(on),
      clock(on.host.time()),
      of{{"master", epoch}, ship, on.host.time(), clock},
      open(on.host.time()),
      planner(settings_of_year(), of, {*on.ledger, book, open, on.ids, watch, paused}, on.stage.loop.get_executor(),
              [] {}),
      scope{of, *on.ledger, open, *on.clients, on.due_changed, on.stage.loop.get_executor()},
      successors(settings_of_year(), scope, book, on.ids),
      suspects(scope),
      queue(open, on.stage.loop.get_executor()),
      next(scope, queue, suspects),
      pauses(scope, paused, next),
      done(scope, {queue, next, planner, book})
{
    ship.extend(epoch, on.host.time().now(), 1h, 0s);
    planner.loaded();
}

awaitable<void> one_term::load(std::vector<execution_id> const& ids)
{
    trigger::open_set::reading const seen(open);
    auto const rows = co_await scope.ledger.open_among(ids);
    for (auto const& row : rows)
        if (open.find(row.id) == nullptr)
            open.add(trigger::make_open_execution(row, book.get(row.task, row.version, row.definition, std::nullopt)),
                     seen);
}

awaitable<std::vector<execution_id>> one_term::keep_paused()
{
    co_await pauses.read();
    std::vector<execution_id> kept;
    if (paused.empty())
        co_return kept;
    auto const due = of_year.due_now();
    co_await load(due);
    for (auto const id : due)
        if (auto* one = open.find(id); one != nullptr && pauses.keep(*one))
            kept.push_back(id);
    if (!kept.empty())
        co_await (next.run() || scope.term.time.sleep_for(1s)); // writes those that are skipped
    co_return kept;
}

} // namespace year_sim
