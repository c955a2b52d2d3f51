#include "tests/simulation/cluster_verdict.hpp"

#include <soci/soci.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace baton::simulation {

namespace {

constexpr duration clocks_apart = 20ms; // allowed difference between the clocks of two masters

// Terms must follow one another, and each but the last must have an end and a reason for it.
std::string history_problems(cluster_world& world)
{
    std::string wrong;
    auto const terms = world.terms();
    for (std::size_t i = 0; i < terms.size(); ++i) {
        auto const& term = terms[i];
        auto const add = [&](char const* problem) {
            wrong += fmt::format("the term of epoch {} {}\n", term.epoch, problem);
        };
        bool const last = i + 1 == terms.size();
        if (last ? term.ended_at.has_value() : !term.ended_at || !term.why_ended || term.why_ended->empty())
            add(last ? "should last" : "has no end or no reason for it");
        if (term.acting_at < term.began_at || (term.ended_at && *term.ended_at < term.began_at))
            add("ends or acts before it began");
        if (!last && term.ended_at && *term.ended_at > terms[i + 1].began_at + clocks_apart)
            add(fmt::format("ends {} ms after the next one began ({})", (*term.ended_at - terms[i + 1].began_at) / 1ms,
                            *term.why_ended)
                    .c_str());
        if (i != 0 && terms[i - 1].ended_at &&
            term.gap != std::max(term.acting_at - *terms[i - 1].ended_at, duration{}))
            add("has a gap that does not begin where the term before it ended");
        if (term.gap.has_value() != (i != 0))
            add("has no gap, or is the first and has one");
    }
    return terms.empty() ? "no term is in the history\n" : wrong;
}

} // namespace

protocol::task_definition make_task(std::string name, utc_time from, utc_time until)
{
    protocol::task_definition made;
    made.name = std::move(name);
    made.handler = "work";
    made.max_deaths = 1'000;                              // the faults kill clients, not the handlers
    made.misfire.after = protocol::longest_misfire_after; // every firing runs, however late
    made.schedule.start_at = from;
    made.schedule.end_at = until;
    return made;
}

protocol::task_definition often(char const* name, char const* handler, utc_time from, utc_time until)
{
    auto task = make_task(name, from, until);
    task.handler = handler;
    task.schedule.kind = protocol::schedule_kind::fixed_rate;
    task.schedule.every = 100ms;
    return task;
}

std::string home_of(cluster_world& world, std::size_t client)
{
    std::string node;
    auto const like = fmt::format("c{}#%", client);
    world.stage().database.inspect([&](soci::session& sql) {
        sql << "SELECT node FROM client WHERE instance LIKE :like AND state <> 'gone' ORDER BY changed_at DESC LIMIT 1",
            soci::use(like), soci::into(node);
    });
    return node.substr(0, node.find('#'));
}

std::set<std::int64_t> instants_of(duration period, utc_time from, utc_time until)
{
    std::set<std::int64_t> instants;
    for (auto at = from; at < until; at += period)
        instants.insert(to_micros(at));
    return instants;
}

std::vector<expectation> register_tasks(cluster_world& world, utc_time from, utc_time until, std::string const& project)
{
    using protocol::schedule_kind;
    std::vector<expectation> all;
    auto const add = [&](protocol::task_definition task, std::set<std::int64_t> instants) {
        task.project = project;
        all.push_back({world.add(task).task.id, task.name, std::move(instants)});
    };
    auto secondly = make_task("every second", from, until);
    secondly.schedule.kind = schedule_kind::cron;
    secondly.schedule.cron = "* * * * * *";
    add(secondly, instants_of(1s, from, until));

    auto rate = make_task("at a rate", from, until);
    rate.schedule.kind = schedule_kind::fixed_rate;
    rate.schedule.every = 700ms;
    rate.routing = protocol::routing::random;
    add(rate, instants_of(700ms, from, until));

    auto flaky = make_task("flaky", from, until);
    flaky.handler = "flaky";
    flaky.schedule.kind = schedule_kind::cron;
    flaky.schedule.cron = "*/3 * * * * *";
    flaky.max_attempts = 3;
    flaky.routing = protocol::routing::failover;
    add(flaky, instants_of(3s, from, until));

    auto shards = make_task("broadcast", from, until);
    shards.schedule.kind = schedule_kind::fixed_rate;
    shards.schedule.every = 5s;
    shards.routing = protocol::routing::broadcast;
    add(shards, instants_of(5s, from, until));

    auto once = make_task("once", from, until);
    once.schedule.kind = schedule_kind::once;
    once.schedule.start_at.reset();
    once.schedule.end_at.reset();
    once.schedule.at = from + 10s;
    add(once, {to_micros(from + 10s)});
    return all;
}

// A whole multiple of 3 s since the epoch, so that all schedules begin together.
utc_time begin_of(cluster_world& world)
{
    auto const soon = world.stage().time.utc() + 3s;
    return std::chrono::ceil<std::chrono::duration<std::int64_t, std::ratio<3>>>(soon);
}

std::string describe(std::string const& task, cluster_world::ledger_row const& row, std::string const& problem)
{
    return fmt::format("task '{}': execution {} scheduled at {} is {} in attempt {}: {}\n", task, row.id,
                       to_rfc3339(from_micros(row.scheduled_at)), row.state, row.attempt, problem);
}

std::string firing_problems(cluster_world& world, expectation const& expected)
{
    std::string wrong;
    std::set<std::int64_t> found;
    for (auto const& row : world.firings(expected.task)) {
        if (!found.insert(row.scheduled_at).second)
            wrong += describe(expected.name, row, "a second row for its firing");
        if (row.ended_at == 0)
            wrong += describe(expected.name, row, "has not ended");
        if (!expected.instants.contains(row.scheduled_at))
            wrong += describe(expected.name, row, "was not expected");
    }
    for (auto const instant : expected.instants)
        if (!found.contains(instant))
            wrong += fmt::format("task '{}': missed {}\n", expected.name, to_rfc3339(from_micros(instant)));
    return wrong;
}

std::string problems(cluster_world& world, std::vector<expectation> const& expected)
{
    std::string wrong;
    for (auto const& one : expected)
        wrong += firing_problems(world, one);
    if (world.open_rows() != 0)
        wrong += fmt::format("{} executions have not ended\n", world.open_rows());
    wrong += history_problems(world);
    if (world.seen().handler_starts == 0)
        wrong += "no handler was ever called\n";
    for (auto const& incident : world.seen().incidents)
        wrong += incident + "\n";
    return wrong;
}

} // namespace baton::simulation
