#include "libs/storage/ledger.hpp"
#include "libs/storage/rows.hpp"

namespace baton::storage {

namespace {

// Usually the latest few have both. Only where they have not, more are looked at, for few tasks in a statement.
constexpr int first_look = 20;
constexpr std::size_t tasks_of_first_look = 100;
constexpr std::size_t tasks_of_long_look = 5;

struct asked {
    past_question question;
    std::size_t place = 0; // in the answer
};

// The latest `depth` rows of each task, by the index of the task and the time; of these the parents, which began.
void select_past(statement& ask, std::span<asked const> some, int depth)
{
    ask.select("q.place", "q.id", "q.scheduled_at", "q.state", "q.ended_at")(" FROM (");
    for (auto const& one : some)
        ask(fragment{&one == &some.front() ? "" : " UNION ALL "}, "SELECT * FROM (SELECT ", one.place,
            " AS place, id, scheduled_at, state, ended_at, parent_id, started_at FROM execution",
            by_index{"execution_of_task"}, " WHERE task_id = ", one.question.task, " AND scheduled_at < ",
            one.question.before, " ORDER BY scheduled_at DESC, id DESC LIMIT ", depth, ") AS of_task");
    ask(") AS q WHERE q.parent_id IS NULL AND q.state <> 'skipped' AND (q.state <> 'cancelled' OR q.started_at IS NOT "
        "NULL) ORDER BY q.place, q.scheduled_at DESC, q.id DESC");
}

void read_past(row& cells, std::vector<past_executions>& into)
{
    auto const place = static_cast<std::size_t>(cells.number());
    past_execution one;
    one.execution = cells.name<execution_id>();
    one.scheduled_at = cells.moment();
    one.state = protocol::parse<protocol::state>(cells.text(), "state");
    one.ended_at = cells.maybe_moment();
    auto& found = into.at(place);
    if (!found.previous)
        found.previous = one;
    if (!found.last_success && one.state == protocol::state::succeeded)
        found.last_success = one;
}

void look(soci::session& sql, std::vector<asked> const& all, std::size_t tasks, int depth,
          std::vector<past_executions>& into)
{
    for (std::span<asked const> left(all); !left.empty(); left = left.subspan(std::min(tasks, left.size()))) {
        statement ask(sql);
        select_past(ask, left.first(std::min(tasks, left.size())), depth);
        ask.each([&](row& cells) { read_past(cells, into); });
    }
}

} // namespace

awaitable<std::vector<past_executions>> ledger::past(std::vector<past_question> const& questions)
{
    std::vector<past_executions> found;
    auto const work = [&](soci::session& sql) {
        found.assign(questions.size(), {});
        std::vector<asked> all;
        for (std::size_t i = 0; i < questions.size(); ++i)
            all.push_back({questions[i], i});
        look(sql, all, tasks_of_first_look, first_look, found);
        std::erase_if(all, [&](asked const& one) { return found[one.place].last_success.has_value(); });
        look(sql, all, tasks_of_long_look, past_looked_at, found);
    };
    co_await shared_.run(work);
    co_return found;
}

} // namespace baton::storage
