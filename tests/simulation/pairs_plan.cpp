#include "tests/simulation/pairs_plan.hpp"

#include "tests/simulation/pairs_drawing.hpp"
#include "tests/simulation/pairs_known.hpp"

#include <algorithm>
#include <utility>

namespace pairs_sim {

namespace {

constexpr int tasks_of_a_run = 12;
constexpr int targets_of_a_run = 10; // pairs that the run must draw; the rest is random
constexpr int events_of_a_run = 3;
constexpr int more_actions = 8;
constexpr int releases = 2;           // which find something to release now and then only
constexpr std::uint64_t stride = 101; // between the targets of a run, so that they differ

std::vector<item_pair> pairs_of(item_kind a, item_kind b)
{
    std::vector<item_pair> out;
    for (auto const& pair : all_pairs())
        if (kind_of(pair.a) == a && kind_of(pair.b) == b)
            out.push_back(pair);
    return out;
}

bool is_of_scope(item which)
{
    return kind_of(which) == item_kind::feature && group_of(which) == group_of(item::service_slots);
}

} // namespace

bool drawing::can_have(drawn_task const& task, item which) const
{
    if (is_of_scope(which) && which != made.scope)
        return false;
    return std::all_of(task.features.begin(), task.features.end(), [&](item each) { return fit(each, which); });
}

void drawing::give(drawn_task& task, item which)
{
    if (can_have(task, which))
        task.features.insert(which);
}

drawn_task& drawing::add_task(std::initializer_list<item> first)
{
    auto& task = made.tasks.emplace_back();
    task.number = static_cast<int>(made.tasks.size()) - 1;
    task.name = "t" + std::to_string(task.number);
    for (auto const each : first)
        give(task, each);
    fill(task);
    return task;
}

// A pause ends after some seconds, so that it does not cover the rest of the run.
void drawing::act(item what, int task, duration at)
{
    if (what == item::undo_skip) // something to take back
        made.actions.push_back({item::skip_next, task, at - between(200ms, 1s)});
    made.actions.push_back({what, task, at});
    if (what == item::pause_hold || what == item::pause_skip)
        made.actions.push_back({item::resume, task, at + between(500ms, 9s)});
}

drawn_task& drawing::add_plain_task(std::initializer_list<item> only)
{
    auto& task = made.tasks.emplace_back();
    task.number = static_cast<int>(made.tasks.size()) - 1;
    task.name = "t" + std::to_string(task.number);
    task.features = only;
    task.project = "default";
    task.service = plain_service;
    return task;
}

// At random: each group gets one of its features with some probability.
void drawing::fill(drawn_task& task)
{
    std::map<int, std::vector<item>> groups;
    for (auto const each : all_of(item_kind::feature))
        groups[group_of(each)].push_back(each);
    constexpr std::array schedules{item::cron,  item::rate,  item::rate,  item::rate, item::cron, item::delay,
                                   item::delay, item::after, item::after, item::once, item::api};
    for (int tries = 0; tries < 20; ++tries) {
        give(task, schedules[chance() % schedules.size()]);
        if (std::any_of(task.features.begin(), task.features.end(),
                        [](item each) { return group_of(each) == group_of(item::cron); }))
            break;
    }
    for (auto const& [group, members] : groups)
        if (group != group_of(item::cron) && percent(members.size() > 4 ? 35 : 16))
            give(task, members[chance() % members.size()]);
    complete(task);
}

// What a feature needs to have an effect.
void drawing::complete(drawn_task& task)
{
    if (task.has(item::keyed) || task.has(item::full_bounded) || task.has(item::deaf))
        give(task, item::full_wait);
    if (task.has(item::ends_any))
        give(task, item::broadcast_number);
    if (task.has(item::retry_other) || task.has(item::retry_same) || task.has(item::backoff) ||
        task.has(item::final_errors)) {
        give(task, item::retries);
        give(task, item::fails);
    }
    if (task.has(item::deaf))
        give(task, item::timeout);
    if ((task.has(item::broadcast_number) || task.has(item::broadcast_clients)) && percent(50))
        give(task, item::fails);
    if (task.has(item::timeout) || task.has(item::total))
        give(task, item::long_runs);
    bool const scoped = task.has(made.scope) || percent(20);
    task.project = scoped ? limited_project : "default";
    task.service = scoped ? limited_service : plain_service;
    if (scoped)
        give(task, made.scope);
}

void drawing::add_target(std::uint64_t number)
{
    static auto const features = pairs_of(item_kind::feature, item_kind::feature);
    static auto const treated = pairs_of(item_kind::feature, item_kind::action);
    static auto const actions = pairs_of(item_kind::action, item_kind::action);
    auto const at = between(5s, acting - 5s);
    auto const walk = [&](auto const& list, std::uint64_t width, std::uint64_t place) {
        return list[(seed * width + number / 5 * width / 2 + place) * stride % list.size()];
    };
    switch (number % 5) {
    case 0:
    case 1: {
        auto const [a, b] = walk(features, 4, number % 5);
        add_task({a, b});
        return;
    }
    case 2:
    case 3: {
        auto const [a, b] = walk(treated, 4, number % 5 - 2);
        auto const& task = add_task({a});
        return act(b, task.number, at);
    }
    default: {
        auto const [a, b] = walk(actions, 2, 0);
        auto const& task = add_task({});
        bool const turned = percent(50);
        act(turned ? b : a, task.number, at);
        return act(turned ? a : b, task.number, at + between(1ms, 4s));
    }
    }
}

// Some actions are done just before or after an event.
void drawing::add_events()
{
    static auto const near = pairs_of(item_kind::action, item_kind::event);
    std::vector<item> drawn;
    for (std::uint64_t i = 0; i < events_of_a_run; ++i) {
        auto const& [action, event] = near[(seed * events_of_a_run + i) * stride % near.size()];
        if (!is_drawn(event))
            continue;
        auto const at = 8s + between(0s, 8s) + static_cast<int>(i) * 18s;
        made.events.push_back({event, at, between(300ms, 6s), -1});
        act(action, from(0, static_cast<int>(made.tasks.size()) - 1), at + between(-1s, 3s));
        act(all_of(item_kind::action)[chance() % all_of(item_kind::action).size()],
            from(0, static_cast<int>(made.tasks.size()) - 1), at + between(-1s, 3s));
    }
}

// A task after another one needs one that has firings.
void drawing::find_parents()
{
    for (auto& task : made.tasks) {
        if (!task.has(item::after) || task.parent >= 0)
            continue;
        std::vector<int> others;
        for (auto const& each : made.tasks) {
            bool const fires = !each.has(item::after) && !each.has(item::api) && each.project == task.project;
            // Broadcasts more often than others: they succeed shard by shard.
            bool const splits = each.has(item::broadcast_number) || each.has(item::broadcast_clients);
            others.insert(others.end(), fires ? (splits ? 4 : 1) : 0, each.number);
        }
        if (!others.empty())
            task.parent = others[chance() % others.size()];
        else {
            task.features.erase(item::after);
            task.features.insert(item::rate);
        }
    }
}

plan make_plan(std::uint64_t seed)
{
    drawing draw{seed, std::mt19937_64(seed * 7919 + 17)};
    constexpr std::array scopes{item::service_slots, item::service_rate, item::project_slots};
    draw.made.scope = scopes[seed % scopes.size()];
    draw.made.queue = draw.from(0, 3);
    for (int i = 0; i < targets_of_a_run; ++i)
        draw.add_target(static_cast<std::uint64_t>(i));
    while (draw.made.tasks.size() < tasks_of_a_run)
        draw.add_task({});
    draw.add_scene();
    draw.find_parents();
    draw.add_events();
    auto const& actions = all_of(item_kind::action);
    for (int i = 0; i < more_actions; ++i)
        draw.act(actions[draw.chance() % actions.size()], draw.from(0, static_cast<int>(draw.made.tasks.size()) - 1),
                 draw.between(4s, acting));
    for (int i = 0; i < releases; ++i)
        draw.act(item::release, draw.from(0, static_cast<int>(draw.made.tasks.size()) - 1), draw.between(8s, acting));
    std::ranges::stable_sort(draw.made.actions, {}, &planned_action::at);
    std::ranges::stable_sort(draw.made.events, {}, &planned_event::at);
    return std::move(draw.made);
}

} // namespace pairs_sim
