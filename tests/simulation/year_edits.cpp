#include "libs/schedule/skips.hpp"
#include "tests/simulation/year_world.hpp"

#include <spdlog/fmt/fmt.h>

// The edits of tasks and the pauses during the year.

namespace year_sim {

std::optional<utc_time> year::edit(std::size_t index, change const& change_it)
{
    std::function<protocol::task_definition(storage::task_record const&)> const made =
        [&](storage::task_record const& task) {
            auto definition = task.definition;
            change_it(definition, task);
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

// Another schedule, or off and on.
void year::edit_one(std::size_t index)
{
    auto& task = tasks[index];
    auto const& by = spare_[chance() % spare_.size()];
    bool const turns = chance() % 2 == 0;
    if (by.most != 0 || by.delay)
        return;
    note_outage(index);
    auto const line = edit(index, [&](protocol::task_definition& definition, storage::task_record const&) {
        definition.enabled = turns ? !task.enabled : true;
        if (turns)
            return;
        nlohmann::json members{
            {"name", "t"}, {"service", service_name(task.service)}, {"handler", "h"}, {"schedule", by.schedule}};
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

// Not a task with a maximum, whose count depends on what the edit cancels, and none whose firings follow from its runs.
void year::change_one()
{
    auto const index = static_cast<std::size_t>(chance() % tasks.size());
    auto const& task = tasks[index];
    if (parents.contains(index) || task.most != 0 || task.delay)
        return;
    if (chance() % 4 == 0)
        skip_some(index);
    else
        edit_one(index);
}

void year::skip_some(std::size_t index)
{
    auto& task = tasks[index];
    schedule::skip_request wanted;
    wanted.count = static_cast<int>(1 + chance() % 4);
    wanted.by = "ann";
    schedule::skip_ruling ruling;
    note_outage(index);
    auto const line = edit(index, [&](protocol::task_definition& definition, storage::task_record const& before) {
        ruling = schedule::skip_next(definition, before.created_at, wanted, before.line.value_or(now()), now());
        if (ruling.refusal.empty())
            definition.schedule.skips = ruling.skips;
    });
    if (!line)
        return;
    ++edits;
    if (ruling.refusal.empty())
        year_oracle::skip_next(task, wanted.count, *line);
}

// Begins a pause of a service or of all, or ends the one that is in force.
void year::change_pause()
{
    if (!pauses_.empty() && !pauses_.back().ended)
        return end_pause();
    bool const all = chance() % 4 == 0;
    auto const which = static_cast<int>(chance() % year_oracle::service_count);
    protocol::pause wanted;
    wanted.of = {"default", all ? std::string() : service_name(which)};
    wanted.firings = chance() % 2 == 0 ? protocol::paused_firings::skip : protocol::paused_firings::hold;
    wanted.reason = "incident";
    storage::pause_result done;
    auto call = [&]() -> awaitable<void> { done = co_await services_.pause(wanted, ids); };
    stage.play(call());
    if (done.outcome != storage::pause_outcome::done)
        return; // it has no task
    ++pauses;
    pauses_.push_back({all ? std::nullopt : std::optional{which}, wanted.firings == protocol::paused_firings::skip,
                       done.pause.since});
}

void year::end_pause()
{
    if (pauses_.empty() || pauses_.back().ended)
        return;
    auto& last = pauses_.back();
    protocol::service_key const which{"default", last.service ? service_name(*last.service) : std::string()};
    auto call = [&]() -> awaitable<void> {
        auto const done = co_await services_.resume(which, "ann", ids);
        last.ended = done.pause.ended_at;
    };
    stage.play(call());
}

} // namespace year_sim
