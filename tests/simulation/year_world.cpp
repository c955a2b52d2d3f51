#include "tests/simulation/year_world.hpp"

#include "libs/schedule/schedule.hpp"
#include "libs/storage/calendars.hpp"
#include "trigger/master/planner.hpp"
#include "trigger/master/successor_tasks.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace year_sim {

using namespace asio::experimental::awaitable_operators;

namespace {

constexpr std::size_t most_spare = 60; // drawing one takes longer than a master

// One master, with a memory of its own.
struct one_term {
    trigger::mastership ship;
    trigger::cluster_clock clock;
    trigger::term of;
    trigger::task_book book;
    trigger::open_set open;
    trigger::planning_watch watch{instant{}};
    trigger::planner planner;
    trigger::term_scope scope;
    trigger::successor_tasks successors;

    one_term(test::term_stage& on, std::int64_t epoch)
        : clock(on.host.time()),
          of{{"master", epoch}, ship, on.host.time(), clock},
          open(on.host.time()),
          planner(settings(), of, {*on.ledger, book, open, on.ids, watch}, on.stage.loop.get_executor(), [] {}),
          scope{of, *on.ledger, open, *on.clients, on.due_changed, on.stage.loop.get_executor()},
          successors(settings(), scope, book, on.ids)
    {
        ship.extend(epoch, on.host.time().now(), 1h, 0s);
        planner.loaded();
    }
    static trigger::planner_settings settings()
    {
        trigger::planner_settings out;
        out.look_ahead = look_ahead;
        return out;
    }
};

} // namespace

year::year(std::uint64_t seed, std::size_t count) : chance(seed)
{
    make_calendars();
    while (tasks.size() < count) {
        auto const& task = tasks.emplace_back(year_oracle::draw_task(chance, zones(), calendars(), start));
        add(tasks.size() - 1, task.schedule, task.misfire);
        if (tasks.size() < count && chance() % 20 == 0)
            add_child(tasks.size() - 1);
    }
    found.resize(count);
    while (spare_.size() < most_spare)
        spare_.push_back(year_oracle::draw_task(chance, zones(), calendars(), start));
}

void year::make_calendars()
{
    storage::calendars table(*shared);
    for (auto const& one : calendars()) {
        auto const definition = protocol::parse_calendar_definition(one.definition);
        auto make = [&]() -> awaitable<void> { co_await table.create(ids.make<calendar_id>(), definition); };
        stage.play(make());
        contents_[one.name] = protocol::to_json(definition.content);
    }
}

nlohmann::json year::stored(nlohmann::json schedule) const
{
    if (schedule.contains("calendars"))
        for (auto& use : schedule["calendars"]) {
            use["version"] = 1;
            use["content"] = contents_.at(use.at("name"));
        }
    return schedule;
}

void year::add(std::size_t index, nlohmann::json schedule, nlohmann::json const& misfire)
{
    schedule = stored(std::move(schedule));
    nlohmann::json members{{"schedule", schedule}};
    if (!misfire.is_null())
        members["misfire"] = misfire;
    auto const id = static_cast<int>(index + 1);
    add_task(id, members);
    auto const spec =
        protocol::parse_task({{"name", "t"}, {"service", "s"}, {"handler", "h"}, {"schedule", schedule}}).schedule;
    auto const first = schedule::timetable(spec, start).first(start);
    exec(fmt::format("UPDATE task SET created_at = {}, next_fire_at = {}, counted_since = {} WHERE id = {}",
                     to_micros(start), first ? std::to_string(to_micros(*first)) : "NULL",
                     spec.firing.max_firings == 0 ? "NULL" : "1", id));
}

// A task that runs after the last one.
void year::add_child(std::size_t parent)
{
    auto const child = tasks.size();
    year_oracle::task after;
    after.schedule = {{"kind", "after"}, {"task", fmt::format("t{}", parent + 1)}};
    tasks.push_back(after);
    add(child, after.schedule, nullptr);
    exec(fmt::format("INSERT INTO task_parent (task_id, parent_id) VALUES ({}, {})", child + 1, parent + 1));
    parents[child] = parent;
}

// What a master finds late now, or an edit of this task.
void year::note_outage(std::optional<std::size_t> only)
{
    stage.database.inspect([&](soci::session& session) {
        storage::statement ask(session);
        ask.select("id", "COALESCE(firing_cursor, next_fire_at)")(" FROM task WHERE next_fire_at <= ", now());
        if (only)
            ask(" AND id = ", *only + 1);
        ask.each([&](storage::row& cells) {
            auto& task = tasks[static_cast<std::size_t>(cells.number()) - 1];
            year_oracle::pass_outage(task, cells.moment(), now());
        });
    });
}

void year::one_master()
{
    exec(fmt::format("UPDATE lock_fence SET epoch = {}", ++epoch));
    note_outage();
    one_term term(*this, epoch);
    auto plan = [&]() -> awaitable<void> { co_await (term.planner.run() || host.time().sleep_for(2s)); };
    stage.play(plan());
    end_runs();
    auto follow = [&]() -> awaitable<void> { co_await (term.successors.run() || host.time().sleep_for(1s)); };
    if (!parents.empty())
        stage.play(follow());
    take_rows();
}

void year::pass()
{
    for (one_master(); now() < end - 30s; one_master()) {
        for (auto more = chance() % 3; more > 0; --more)
            edit_one();
        auto const pause = chance() % 25 == 0 ? look_ahead + (chance() % 3'600) * 1min : (60 + chance() % 600) * 1min;
        auto const next = std::chrono::floor<std::chrono::minutes>(now() + pause) + 30s; // nothing is late by a hair
        stage.time.run_for(std::min<utc_time>(next, end - 30s) - now());
        if (chance() % 10 == 0)
            edit_one(); // before the next master looks
    }
    one_master(); // for what ran after the last firings
}

// Those that are due have run, and some have failed.
void year::end_runs()
{
    exec(fmt::format("UPDATE execution SET due_at = NULL, state = CASE WHEN (scheduled_at / 60000000) % 3 <> 0 THEN "
                     "'succeeded' ELSE 'failed' END WHERE state = 'planned' AND scheduled_at <= {}",
                     to_micros(now())));
}

// Rows that have ended are taken out of the tables, which otherwise would grow all year.
void year::take_rows()
{
    stage.database.inspect([&](soci::session& session) {
        storage::statement rows(session);
        rows.select("task_id", "scheduled_at", "state", "run_key = 0")(" FROM execution WHERE due_at IS NULL");
        rows.each([&](storage::row& cells) { take_row(cells); });
        storage::statement ranges(session);
        ranges.select("task_id", "firings")(" FROM skipped_range");
        ranges.each([&](storage::row& cells) {
            auto& mine = found[static_cast<std::size_t>(cells.number()) - 1];
            mine.in_ranges += cells.number();
        });
        // Those that wait with a jitter have their due instants.
        storage::statement planned(session);
        planned.select("task_id", "scheduled_at", "due_at")(
            " FROM execution WHERE due_at IS NOT NULL AND due_at <> scheduled_at AND cause = 'schedule'");
        planned.each([&](storage::row& cells) {
            auto const index = static_cast<std::size_t>(cells.number()) - 1;
            auto const firing = cells.moment();
            if (cells.moment() != tasks[index].due_at(firing) && !parents.contains(index))
                faults += fmt::format("task {}: the jitter of {} is wrong\n", index + 1, to_rfc3339(firing));
        });
    });
    exec("DELETE FROM execution WHERE due_at IS NULL");
    exec("DELETE FROM skipped_range");
}

void year::take_row(storage::row& cells)
{
    auto& mine = found[static_cast<std::size_t>(cells.number()) - 1];
    auto const at = cells.moment();
    auto const state = cells.text();
    bool const is_firing = cells.flag();
    if (state == "skipped")
        mine.skipped.insert(at);
    else if (state != "cancelled" && is_firing)
        mine.runs.push_back(at);
}

std::optional<utc_time> year::edit(std::size_t index, std::function<void(protocol::task_definition&)> const& change)
{
    std::function<protocol::task_definition(storage::task_record const&)> const made =
        [&](storage::task_record const& task) {
            auto definition = task.definition;
            change(definition);
            return definition;
        };
    storage::edit_result done;
    auto call = [&]() -> awaitable<void> {
        done = co_await table_.edit(task_id{static_cast<std::int64_t>(index + 1)}, std::nullopt,
                                    storage::edit_action::edited, ids, made);
    };
    try {
        stage.play(call());
    } catch (invalid_input const&) {
        return std::nullopt; // with its calendar it would never fire again
    }
    return done.outcome == storage::edit_outcome::done ? std::optional(done.valid_from) : std::nullopt;
}

// Another schedule, or off and on. Not for tasks with a maximum, whose count depends on what the edit cancels.
void year::edit_one()
{
    auto const index = static_cast<std::size_t>(chance() % tasks.size());
    auto& task = tasks[index];
    auto const& by = spare_[chance() % spare_.size()];
    bool const turns = chance() % 2 == 0;
    if (parents.contains(index) || task.most != 0 || by.most != 0)
        return;
    note_outage(index);
    auto const line = edit(index, [&](protocol::task_definition& definition) {
        definition.enabled = turns ? !task.enabled : true;
        if (turns)
            return;
        nlohmann::json members{{"name", "t"}, {"service", "s"}, {"handler", "h"}, {"schedule", by.schedule}};
        if (!by.misfire.is_null())
            members["misfire"] = by.misfire;
        auto const wanted = protocol::parse_task(members);
        definition.schedule = wanted.schedule;
        definition.misfire = wanted.misfire;
    });
    if (!line)
        return;
    ++edits;
    if (turns)
        year_oracle::enable(task, !task.enabled, *line);
    else
        year_oracle::replace(task, by, *line);
}

std::string year::wrong()
{
    auto out = faults;
    for (auto const& [child, parent] : parents)
        tasks[child].firings = year_oracle::runs_after(tasks[parent]);
    for (auto const& [child, parent] : parents)
        tasks[child].unsure = tasks[parent].unsure;
    for (std::size_t i = 0; i < tasks.size(); ++i)
        out += compare(i);
    return out;
}

std::string year::compare(std::size_t index)
{
    auto const& task = tasks[index];
    auto& mine = found[index];
    auto expected = task.runs();
    std::sort(mine.runs.begin(), mine.runs.end());
    auto const left_out = [&](utc_time at) { return at >= end || task.unsure.contains(at); };
    std::erase_if(mine.runs, left_out);
    std::erase_if(expected, left_out);
    auto const skipped = static_cast<std::int64_t>(mine.skipped.size()) + mine.in_ranges;
    auto const wanted = static_cast<std::int64_t>(task.skipped.size());
    bool const counts = std::abs(skipped - wanted) <= static_cast<std::int64_t>(task.unsure.size());
    if (mine.runs == expected && (counts || parents.contains(index)))
        return {};
    auto const differ = std::mismatch(mine.runs.begin(), mine.runs.end(), expected.begin(), expected.end());
    auto const text = [](auto at, auto last) { return at == last ? std::string("none") : to_rfc3339(*at); };
    return fmt::format(
        "task {}: {} with {}: {} runs, {} expected; the first that differs: {}, expected {}; {} skipped, "
        "{} expected\n",
        index + 1, task.schedule.dump(), task.misfire.dump(), mine.runs.size(), expected.size(),
        text(differ.first, mine.runs.end()), text(differ.second, expected.end()), skipped, wanted);
}

} // namespace year_sim
