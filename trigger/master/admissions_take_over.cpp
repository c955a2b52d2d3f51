#include "libs/base/log.hpp"
#include "libs/base/outage.hpp"
#include "trigger/master/admission_places.hpp"
#include "trigger/master/admissions.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>

namespace baton::trigger {

namespace {
constexpr std::size_t let_in_at_once = 1'000;     // in one step of the loop
constexpr std::size_t limits_read_at_once = 200;  // definitions
constexpr std::size_t tasks_seen_at_once = 1'000; // tasks, in one step of the loop
constexpr duration limits_read_again = 200ms;     // after the database did not answer
}

// Executions that a new term finds under way, in doubt or due.

void admissions::under_way(open_execution const& one)
{
    if (has_gate(one))
        admitted(gate_.hold(place_of(one), present_.concurrency(one), candidate(one, true)));
    if (auto const which = member(one); tree_.concerns(which))
        tree_.hold(which, rate_time());
}

void admissions::still_runs(storage::unresponsive_row const& row, known_task const& task)
{
    auto const now = rate_time();
    auto const& definition = task.definition;
    auto const place = protocol::place_in_line(row.scheduled_at, definition.priority);
    limit_tree::member const which{row.id, task.id, task.version, definition.rate, protocol::service_of(definition),
                                   place};
    if (tree_.concerns(which))
        tree_.hold(which, now);
    if (definition.concurrency.limit == 0)
        return;
    auto const payload = row.payload ? protocol::json_text::checked(*row.payload) : definition.payload;
    concurrency_gate::candidate const holder{row.id, place_in_gate(definition, row.scheduled_at), true, false,
                                             task.version};
    concurrency_gate::place const where{task.id, protocol::key_hash(definition.concurrency, payload)};
    admitted(gate_.hold(where, definition.concurrency, holder));
    gate_.runs_on(row.id);
}

void admissions::runs_on(execution_id id)
{
    gate_.runs_on(id);
}

void admissions::absent(open_execution& one)
{
    if (!one.has_begun() && one.due_at > scope_.term.clock.now())
        ended(one.id); // it asks for its places when it is due
    else if (loaded_)
        give_back(one, one.has_begun());
    else
        absent_early_.emplace_back(one.id, one.has_begun()); // others may be in line before it
}

void admissions::returned(open_execution const& one)
{
    tree_.put_back_tokens(one.id, rate_time());
    wake_tree();
}

void admissions::given_back(open_execution& one)
{
    if (!concerns(one))
        return;
    if (!one.has_begun())
        tree_.put_back_tokens(one.id, rate_time());
    absent(one);
}

// It waits in line with the others again. All that may be under way count until it is known, also beyond the limits: so
// the first that is known to be absent is not one that has to give way. One that has begun keeps its places, unless
// there are too few.
void admissions::give_back(open_execution& one, bool begun)
{
    auto const now = rate_time();
    auto const policy = present_.concurrency(one);
    if (begun) {
        tree_.release_if_over(one.id, now);
        admitted(gate_.release_if_full(one.id));
        return void(wake_tree());
    }
    std::vector<execution_id> others; // it may be among them
    if (has_gate(one) && one.forced) {
        others = gate_.release_if_full(one.id);
    } else if (has_gate(one)) {
        auto const ruling = gate_.give_back(policy, candidate(one, false));
        carry_out(ruling);
        if (ruling.outdated)
            next_.skip(one, took_its_place);
        others = ruling.admitted;
    }
    if (has_gate(one) && !gate_.holds(one.id))
        tree_.leave(one.id, now);
    else
        tree_.give_back(member(one), now);
    admitted(others);
    one.limited = one.limited || tree_.at(one.id) != limit_tree::stage::unknown;
    wake_tree();
    if (waits(one.id))
        wait_here(one);
}

awaitable<void> admissions::read_edits(std::function<void(storage::defined_task const&)> learn)
{
    learn_ = std::move(learn);
    for (task_id last{}; next_task(last);) {
        auto const some = limited_behind(last);
        auto const found = co_await present_versions(some);
        for (auto const& task : found)
            learn_(task);
        co_await asio::post(asio::use_awaitable);
    }
}

awaitable<void> admissions::learn_unsure()
{
    std::vector<task_id> some;
    for (; !unsure_.empty() && some.size() < limits_read_at_once; unsure_.erase(unsure_.begin()))
        some.push_back(*unsure_.begin());
    auto const found = co_await present_versions(some);
    for (auto const& task : found)
        learn_(task);
}

// Waits until the database gives them.
awaitable<std::vector<storage::defined_task>> admissions::present_versions(std::vector<task_id> const& tasks)
{
    std::vector<storage::defined_task> found;
    for (bool done = tasks.empty(); !done;) {
        try {
            found = co_await scope_.ledger.definitions(tasks);
            done = true;
        } catch (unavailable const& reason) {
            log::outage(reason, "term", "reading the limits of tasks failed, trying again in 200 ms",
                        {log::reason(reason.what()), {"epoch", scope_.term.epoch()}});
        }
        if (!done)
            co_await scope_.term.time.sleep_for(limits_read_again);
    }
    co_return found;
}

// The next tasks of which executions with a limit wait, are in doubt or under way. Moves `last` behind those that it
// has looked at.
std::vector<task_id> admissions::limited_behind(task_id& last) const
{
    std::vector<task_id> found;
    auto seen = tasks_seen_at_once;
    while (seen-- > 0 && found.size() < limits_read_at_once) {
        auto const next = next_task(last);
        if (!next)
            break;
        last = *next;
        if (limits(last))
            found.push_back(last);
    }
    return found;
}

std::optional<task_id> admissions::next_task(task_id last) const
{
    std::optional<task_id> first;
    for (auto const& next : {scope_.open.next_waiting_task(last), gate_.next_task(last), tree_.next_task(last)})
        if (next && (!first || *next < *first))
            first = next;
    return first;
}

void admissions::all_loaded()
{
    std::sort(early_.begin(), early_.end());
    all_loaded_ = true;
    let_in_early();
}

// In pieces, because a former master may have left any number. Those that were due early stand in line before those
// that come back into it may go on, and ask again when all are in line.
void admissions::let_in_early()
{
    auto left = let_in_at_once;
    for (; left > 0 && !early_.empty(); --left) {
        auto const id = early_.front().second;
        early_.pop_front();
        enter_early(id);
        ask_again_.push_back(id);
    }
    for (; left > 0 && !absent_early_.empty(); --left) {
        auto const [id, begun] = absent_early_.front();
        absent_early_.pop_front();
        if (auto* one = scope_.open.find(id))
            give_back(*one, begun);
    }
    loaded_ = early_.empty() && absent_early_.empty();
    for (; left > 0 && loaded_ && !ask_again_.empty(); --left) {
        if (auto* one = find_waiting(ask_again_.front()))
            scope_.open.wait(*one, scope_.term.clock.now());
        ask_again_.pop_front();
    }
    scope_.due_changed.wake();
    if (!has_let_in())
        bell_.wake();
}

bool admissions::has_let_in() const
{
    return loaded_ && ask_again_.empty();
}

void admissions::enter_early(execution_id id)
{
    auto* one = find_waiting(id);
    if (one != nullptr && !gate_.holds(id) && tree_.at(id) == limit_tree::stage::unknown && pass_gate(*one))
        pass_tree(*one);
}

open_execution* admissions::find_waiting(execution_id id)
{
    auto* one = scope_.open.find(id);
    return one != nullptr && one->phase == phase::waiting ? one : nullptr;
}

} // namespace baton::trigger
