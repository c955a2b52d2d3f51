#include "trigger/master/planner.hpp"

#include "libs/base/log.hpp"
#include "libs/base/outage.hpp"
#include "libs/schedule/zones.hpp"
#include "trigger/master/rest.hpp"

#include <algorithm>
#include <unordered_map>

namespace baton::trigger {

namespace {

constexpr duration latest_edit = 20s; // from the first firing that an edit decides to its commit; a longer one is rare
constexpr duration look_pause = 1min; // between looks behind, at least
constexpr int look_share = 2;         // of the time, in percent

// A page within the tasks of one service that are due at one instant: there may be many more of them. A page of others
// is worth some more time, because what is left of it would wait for the whole backlog.
bool is_of_a_herd(storage::due_cursor const& begin, storage::due_cursor const& end)
{
    return begin.next_fire_at == end.next_fire_at && begin.service == end.service;
}

struct page_end {
    std::uint64_t& zones;
    ~page_end() { zones = planner::no_page; }
};

} // namespace

planner::planner(planner_settings settings, term& term, planner_parts parts, asio::any_io_executor loop,
                 std::function<void()> planned)
    : settings_(settings),
      term_(term),
      parts_(parts),
      parked_(settings_, term, parts.ledger, parts.open),
      waker_(loop),
      planned_(std::move(planned)),
      rows_of_page_(settings_.page)
{}

awaitable<void> planner::run()
{
    co_await find_parked();
    co_await both(plan_ahead(), look_behind());
}

awaitable<void> planner::plan_ahead()
{
    for (;;) {
        try {
            co_await round();
        } catch (unavailable const& failure) {
            // The commit may have happened although no answer came: the next round looks for its rows.
            log::outage(failure, "planner", "planning failed, trying again in the next round",
                        {log::reason(failure.what())});
            parts_.watch.failed(std::string("planning failed: ") + failure.what());
            behind_ = false;
        }
        // After a large round the next one comes sooner, and so is smaller.
        auto const pause = behind_ ? 1ms : settings_.look_ahead / (planned_in_round_ > rows_limit ? 20 : 5);
        co_await waker_.wait_until(term_.time, term_.time.now() + pause);
    }
}

awaitable<void> planner::find_parked()
{
    try {
        co_await parked_.find_services();
        found_parked_ = true;
    } catch (unavailable const& failure) {
        log::outage(failure, "planner", "reading the services with parked tasks failed, trying again in the next round",
                    {log::reason(failure.what())});
    }
}

awaitable<void> planner::round()
{
    behind_ = false;
    planned_in_round_ = 0;
    left_from_ = utc_time::max();
    auto const done_until = term_.clock.now() - latest_edit;
    parts_.watch.began(term_.time.now());
    co_await read_again();
    co_await pass();
    if (!backlog_.empty()) {
        left_from_ = std::min(left_from_, backlog_.range().from.next_fire_at);
        co_await plan_from_backlog();
    }
    done_until_ = std::min(done_until, left_from_);
    if (!behind_)
        co_await plan_herd();
    if (!found_parked_)
        co_await find_parked();
    auto const taken_back = co_await parked_.take_back(parts_.paused);
    if (taken_back) {
        behind_ = true;
        look_from(*taken_back);
    }
    parts_.watch.ended();
}

// Plans the tasks that are due, except the backlog, in the order of their next firings.
awaitable<void> planner::pass()
{
    backlog_.begin_pass();
    auto const stop = end_of_share();
    auto const stop_of_others = stop + settings_.look_ahead / 20;
    storage::due_cursor from{done_until_};
    for (;;) {
        co_await term_.until_active(transaction_need);
        auto const now = term_.clock.now(); // again for each page, since a pass may have many
        auto const due_until = now + settings_.look_ahead / 2;
        auto const next = backlog_.around(from, due_until);
        look_ahead const ahead{now, next.until, now + settings_.look_ahead};
        from = next.from;
        bool const more = co_await told_page(ahead, from);
        if (!more)
            from = {next.until};
        else if (term_.time.now() >= (is_of_a_herd(next.from, from) ? stop : stop_of_others))
            from = backlog_.leave(from, due_until);
        if (from.next_fire_at >= due_until)
            co_return;
    }
}

void planner::look_from(utc_time at)
{
    done_until_ = std::min(done_until_, at);
    left_from_ = std::min(left_from_, at);
}

// A scan from the beginning of the index would meet an entry for each firing since the oldest read view began, such as
// that of a dump, because MySQL purges none of them. So rounds begin where the last one has left something, and this
// finds what they miss, such as a task whose edit was committed very late. It takes a small share of the time.
awaitable<void> planner::look_behind()
{
    auto const step = [this]() -> awaitable<void> {
        auto const began = term_.time.now();
        if (began < look_behind_at_ || done_until_ == utc_time{duration::min()})
            co_return; // not yet, or no round has ended
        look_behind_at_ = began + look_pause;
        auto const first = co_await parts_.ledger.first_due(done_until_);
        auto const now = term_.time.now();
        look_behind_at_ = now + std::max(look_pause, rest_after(now - began, look_share));
        if (first)
            look_from(*first);
    };
    co_await every("the look at tasks that are due for long", term_.time, 1s, step);
}

awaitable<bool> planner::told_page(look_ahead ahead, storage::due_cursor& from)
{
    bool const more = co_await page(ahead, from);
    planned_();
    parts_.watch.planned(term_.time.now());
    co_return more;
}

awaitable<bool> planner::page(look_ahead ahead, storage::due_cursor& from)
{
    auto const begin = from;
    auto const rows = rows_of_page_;
    auto const due = co_await parts_.ledger.due(ahead.due_until, begin, static_cast<int>(rows));
    co_await parts_.book.learn(due);
    page_zones_ = schedule::zones_generation();
    page_end const written{page_zones_};
    auto plan = co_await prepare(due, ahead, from);
    if (!plan.tasks.empty()) {
        open_set::reading seen(parts_.open); // others may read the new rows before this answer comes
        for (auto const& one : plan.open_executions)
            seen.expect(one.id);
        storage::planned_page outcome;
        std::string refusal;
        try {
            outcome = co_await parts_.ledger.plan(term_.fence, plan.tasks, plan.executions, plan.skipped);
        } catch (unavailable const&) {
            in_question_ = std::move(plan.open_executions);
            throw;
        } catch (storage::rejected_data const& failure) {
            refusal = failure.why();
        }
        if (!refusal.empty())
            refused(plan, refusal);
        if (!outcome.done) { // or an edit changed one of the tasks: read the page again
            from = begin;
            co_return true;
        }
        leave(outcome.locked, plan);
        std::erase_if(plan.open_executions, [&](open_execution const& one) { return outcome.taken.contains(one.id); });
        planned_in_round_ += plan.executions.size();
        for (auto const& task : plan.tasks)
            if (!set_aside_.empty())
                set_aside_.erase(task.id);
        tell_skipped(plan);
        add(std::move(plan.open_executions), seen);
    }
    rows_of_page_ = std::min(2 * rows_of_page_, settings_.page);
    co_await read_again();
    if (!plan.parked.empty())
        co_await parked_.park(plan.parked);
    bool const all_taken = due.empty() || from.id == due.back().id;
    co_return !all_taken || due.size() == rows;
}

// Reads the page in halves, until the task that the database refuses stands alone. That is set aside and tried again
// from time to time; the others go on.
void planner::refused(page_plan const& page, std::string const& why)
{
    if (page.tasks.size() > 1) {
        rows_of_page_ = std::max<std::size_t>(page.tasks.size() / 2, 1);
        return;
    }
    auto const& task = page.tasks.front();
    auto& one = set_aside_[task.id];
    if (one.version != task.version) {
        log::error("planner", "the database refuses the firings of a task, which is tried again from time to time",
                   {log::reason(why), {"task", task.id.value()}});
        one = {task.version};
    }
    one.again = term_.time.now() + one.pause.after(duration{});
}

bool planner::is_set_aside(storage::due_task const& row)
{
    auto const found = set_aside_.find(row.id);
    if (found == set_aside_.end())
        return false;
    if (found->second.version == row.version)
        return term_.time.now() < found->second.again;
    set_aside_.erase(found); // it was edited
    return false;
}

// Another transaction, such as an edit, has locked these tasks: the next round plans them.
void planner::leave(std::set<task_id> const& locked, page_plan& page)
{
    if (locked.empty())
        return;
    for (auto const& task : page.tasks)
        if (locked.contains(task.id))
            left_from_ = std::min(left_from_, task.seen);
    std::erase_if(page.open_executions, [&](open_execution const& one) { return locked.contains(one.task->id); });
}

void planner::tell_skipped(page_plan const& page) const
{
    if (auto const late = page.firings_skipped - page.firings_paused - page.firings_asked; late != 0)
        log::warn("planner", "late firings were skipped by the misfire policies of their tasks",
                  {{"firings", late}, {"first_task", page.skipped.front().task.value()}});
}

void planner::add(std::vector<open_execution> planned, open_set::reading const& seen)
{
    for (auto& one : planned) {
        if (seen.edited(one))
            in_question_.push_back(std::move(one));
        else
            parts_.open.add(std::move(one), seen);
    }
}

// Adds those that the ledger has.
awaitable<void> planner::read_again()
{
    while (!in_question_.empty()) {
        std::vector<execution_id> ids;
        for (auto const& one : in_question_)
            ids.push_back(one.id);
        open_set::reading const seen(parts_.open);
        auto const rows = co_await parts_.ledger.open_among(ids);
        std::unordered_map<execution_id, bool> standing; // and whether it is to be cancelled
        for (auto const& row : rows)
            standing.emplace(row.id, row.cancel_requested);
        auto planned = std::exchange(in_question_, {});
        std::erase_if(planned, [&](auto const& one) { return !standing.contains(one.id); });
        for (auto& one : planned)
            one.cancel_requested = standing.at(one.id);
        add(std::move(planned), seen);
    }
}
} // namespace baton::trigger
