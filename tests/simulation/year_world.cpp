#include "tests/simulation/year_world.hpp"

#include "libs/schedule/schedule.hpp"
#include "libs/storage/calendars.hpp"
#include "tests/simulation/year_term.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace year_sim {

using namespace asio::experimental::awaitable_operators;

namespace {

constexpr std::size_t most_spare = 60; // drawing one takes longer than a master

} // namespace

std::string service_name(int which)
{
    return fmt::format("s{}", which);
}

year::year(std::uint64_t seed, std::size_t count) : chance(seed)
{
    make_calendars();
    while (tasks.size() < count) {
        auto const& task = tasks.emplace_back(year_oracle::draw_task(chance, zones(), calendars(), start));
        add(tasks.size() - 1, task);
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

void year::add(std::size_t index, year_oracle::task const& task)
{
    auto const schedule = stored(task.schedule);
    auto const service = service_name(task.service);
    nlohmann::json members{{"schedule", schedule}, {"service", service}};
    if (!task.misfire.is_null())
        members["misfire"] = task.misfire;
    auto const id = static_cast<int>(index + 1);
    add_task(id, members);
    auto const spec =
        protocol::parse_task({{"name", "t"}, {"service", "s"}, {"handler", "h"}, {"schedule", schedule}}).schedule;
    auto const first = schedule::timetable(spec, start).first(start);
    exec(fmt::format(
        "UPDATE task SET service = '{}', created_at = {}, next_fire_at = {}, counted_since = {} WHERE id = {}", service,
        to_micros(start), first ? std::to_string(to_micros(*first)) : "NULL",
        spec.firing.max_firings == 0 ? "NULL" : "1", id));
}

// A task that runs after the last one.
void year::add_child(std::size_t parent)
{
    auto const child = tasks.size();
    year_oracle::task after;
    after.schedule = {{"kind", "after"}, {"task", fmt::format("t{}", parent + 1)}};
    after.service = static_cast<int>(chance() % year_oracle::service_count);
    tasks.push_back(after);
    add(child, after);
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
            year_oracle::pass_outage(task, cells.moment(), now(), pauses_, only.has_value());
        });
    });
}

void year::one_master()
{
    exec(fmt::format("UPDATE lock_fence SET epoch = {}", ++epoch));
    one_term term(*this, epoch);
    end_runs(term);
    note_outage();
    auto const began = now();
    auto plan = [&]() -> awaitable<void> {
        co_await (term.planner.run() || term.done.run() || host.time().sleep_for(2s));
    };
    stage.play(plan());
    for (auto& task : tasks)
        year_oracle::plan_delay(task, began + look_ahead / 2, began, pauses_);
    end_runs(term);
    auto follow = [&]() -> awaitable<void> { co_await (term.successors.run() || host.time().sleep_for(1s)); };
    if (!parents.empty())
        stage.play(follow());
    take_rows(false);
}

void year::pass()
{
    for (one_master(); now() < end - 30s; one_master()) {
        for (auto more = chance() % 3; more > 0; --more)
            change_one();
        if (chance() % 20 == 0)
            change_pause();
        auto const pause = chance() % 25 == 0 ? look_ahead + (chance() % 3'600) * 1min : (60 + chance() % 600) * 1min;
        auto const next = std::chrono::floor<std::chrono::minutes>(now() + pause) + 30s; // nothing is late by a hair
        stage.time.run_for(std::min<utc_time>(next, end - 30s) - now());
        if (chance() % 10 == 0)
            change_one(); // before the next master looks
    }
    end_pause();
    one_master(); // for what ran after the last firings
    one_master(); // and what ran after these
    take_rows(true);
}

std::vector<execution_id> year::due_now()
{
    std::vector<execution_id> due;
    stage.database.inspect([&](soci::session& session) {
        storage::statement ask(session);
        ask.select("id")(" FROM execution WHERE state = 'planned' AND scheduled_at <= ", now(), " ORDER BY id");
        ask.each([&](storage::row& cells) { due.push_back(cells.name<execution_id>()); });
    });
    return due;
}

// Those that are due have run, and some have failed, except those that a pause keeps.
void year::end_runs(one_term& term)
{
    auto const at = now();
    std::vector<execution_id> kept;
    auto keep = [&]() -> awaitable<void> { kept = co_await term.keep_paused(); };
    stage.play(keep());
    std::string others;
    for (auto const id : kept)
        others += fmt::format("{}{}", others.empty() ? " AND id NOT IN (" : ", ", id.value());
    exec(
        fmt::format("UPDATE execution SET due_at = NULL, ended_at = {0}, state = CASE WHEN (scheduled_at / 60000000) % "
                    "3 <> 0 THEN 'succeeded' ELSE 'failed' END WHERE state = 'planned' AND scheduled_at <= {0}{1}",
                    to_micros(at), others.empty() ? "" : others + ")"));
    for (auto& task : tasks)
        year_oracle::end_delay(task, at, start, pauses_);
}

// Rows that have ended are taken out of the tables, which otherwise would grow all year. An edit can still change those
// of firings ahead, and a fixed delay counts from the end of the row that it waits for.
void year::take_rows(bool last)
{
    auto const over = fmt::format(" FROM execution WHERE due_at IS NULL AND scheduled_at <= {}{}", to_micros(now()),
                                  last ? "" : " AND id NOT IN (SELECT waiting_for FROM task WHERE waiting_for > 0)");
    stage.database.inspect([&](soci::session& session) {
        storage::statement rows(session);
        rows.select("task_id", "scheduled_at", "state", "run_key = 0", "created_at")(storage::fragment{over.c_str()});
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
    exec("DELETE" + over);
    exec("DELETE FROM skipped_range");
}

void year::take_row(storage::row& cells)
{
    auto const index = static_cast<std::size_t>(cells.number()) - 1;
    auto& mine = found[index];
    auto const at = cells.moment();
    auto const state = cells.text();
    bool const is_firing = cells.flag();
    auto const created = cells.moment();
    if (is_firing && parents.contains(index))
        tasks[index].started[at] = created;
    if (state == "skipped")
        mine.skipped.insert(at);
    else if (state != "cancelled" && is_firing)
        mine.runs.push_back(at);
}

std::string year::wrong()
{
    auto out = faults;
    for (auto& task : tasks)
        year_oracle::leave_out(task, pauses_);
    for (auto const& [child, parent] : parents)
        tasks[child].firings = year_oracle::runs_after(tasks[parent]);
    for (auto const& [child, parent] : parents)
        tasks[child].unsure = tasks[parent].unsure;
    for (auto const& [child, parent] : parents)
        year_oracle::leave_out(tasks[child], pauses_);
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
    auto const wanted = std::distance(task.skipped.begin(), task.skipped.lower_bound(end));
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
