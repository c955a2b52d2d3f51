#include "tests/simulation/pairs_drawing.hpp"

#include <array>

// Meetings of three and more, of which each seed has one: pairs that need a third one to show anything.

namespace pairs_sim {

namespace {

// Failed shards of a broadcast with a successor are run again, several at once.
void rerun_shards(drawing& draw)
{
    auto const parent = draw.add_plain_task({item::rate, item::broadcast_number, item::fails}).number;
    draw.add_plain_task({item::after}).parent = parent;
    for (auto at = 12s; at < acting; at += 5s)
        draw.act(item::rerun, parent, at + draw.between(0s, 3s));
}

// A limit is raised while work waits for it.
void raise_limit(drawing& draw)
{
    auto& task = draw.add_plain_task({item::api, item::full_wait, item::long_runs});
    task.service = other_service;
    for (auto const from : {12s, 30s, 48s}) {
        for (int i = 0; i < 6; ++i)
            draw.act(item::run, task.number, from + draw.between(0ms, 300ms));
        draw.act(item::edit_limit, task.number, from + draw.between(1s, 4s));
    }
}

// A client that counts as gone comes back while its handlers run on.
void return_client(drawing& draw)
{
    auto const alone = 4; // the only client of its service, so that it also gets the next attempts
    std::array<int, 2> numbers{};
    numbers[0] = draw.add_plain_task({item::api, item::timeout, item::deaf, item::long_runs}).number;
    numbers[1] = draw.add_plain_task({item::api, item::total, item::deaf, item::long_runs}).number;
    for (auto const each : numbers)
        draw.made.tasks[static_cast<std::size_t>(each)].service = other_service;
    for (auto const from : {14s, 38s}) {
        auto const at = from + draw.between(0s, 4s);
        draw.made.events.push_back({item::freeze_client, at, draw.between(300ms, 3s), alone});
        for (auto const each : numbers) {
            for (int i = 0; i < 3; ++i)
                draw.act(item::run, each, at - draw.between(100ms, 900ms));
            draw.act(item::cancel, each, at + 11s + draw.between(0s, 3s));
        }
    }
}

// What has ended is deleted while its handler runs on, and another master leads.
void forget_holders(drawing& draw)
{
    draw.add_plain_task({item::rate, item::timeout, item::deaf, item::full_wait, item::long_runs});
    draw.made.events.push_back({item::retention, 10s + draw.between(0s, 5s), 1s, -1});
    draw.made.events.push_back({item::kill_master, 20s + draw.between(0s, 6s), draw.between(1s, 3s), -1});
    draw.made.events.push_back({item::retention, 31s, 1s, -1});
    draw.made.events.push_back({item::kill_master, 36s + draw.between(0s, 6s), draw.between(1s, 3s), -1});
}

// Edits that stall between two of their statements.
void stall_edits(drawing& draw)
{
    draw.add_plain_task({item::delay});
    for (auto const at : {16s, 30s, 44s})
        draw.made.events.push_back({item::freeze_web, at + draw.between(0s, 4s), draw.between(2s, 6s), -1});
}

// The service of a successor is paused while its parent runs.
void pause_successor(drawing& draw)
{
    auto const parent = draw.add_plain_task({item::rate, item::long_runs}).number;
    auto& child = draw.add_plain_task({item::after});
    child.parent = parent;
    child.service = other_service;
    for (auto at = 14s; at < acting - 10s; at += 10s)
        draw.act(item::pause_skip, child.number, at + draw.between(0s, 3s));
}

// The newest replaces others beside forced runs and handlers that do not return.
void force_beside_replace(drawing& draw)
{
    auto const quick = draw.add_plain_task({item::rate, item::full_replace, item::long_runs}).number;
    auto const deaf =
        draw.add_plain_task({item::rate, item::full_replace, item::timeout, item::deaf, item::long_runs}).number;
    for (auto at = 13s; at < acting; at += 6s) {
        draw.act(item::force, quick, at + draw.between(0s, 3s));
        draw.act(item::force, deaf, at + draw.between(0s, 3s));
        draw.act(item::run, quick, at + draw.between(2s, 5s));
    }
}

void set_clock_back(drawing& draw)
{
    draw.add_plain_task({item::delay});
    draw.add_plain_task({item::rate, item::retries, item::fails, item::backoff});
    draw.made.events.push_back({item::clock_back, 20s + draw.between(0s, 9s), draw.between(1s, 6s), -1});
}

// Work that waits, for a limit or a pause, is stopped by an edit around a change of the master.
void stop_waiting_work(drawing& draw)
{
    auto const limited = draw.add_plain_task({item::api, item::full_wait, item::long_runs}).number;
    auto const plain = draw.add_plain_task({item::api, item::start_skip}).number;
    for (int i = 0; i < 7; ++i) {
        draw.act(item::run, limited, 15s + draw.between(0s, 2s));
        draw.act(item::run, plain, 15s + draw.between(0s, 2s));
    }
    draw.act(item::pause_hold, limited, 14s);
    auto const at = 17s + draw.between(0s, 2s);
    draw.made.events.push_back(
        {draw.percent(50) ? item::kill_master : item::stop_master, at, draw.between(1s, 3s), -1});
    draw.act(draw.percent(50) ? item::disable : item::remove, limited, at + draw.between(-1s, 3s));
    draw.act(draw.percent(50) ? item::disable : item::remove, plain, at + draw.between(-1s, 3s));
}

// A fixed delay is edited, turned off and on while it runs and while it waits.
void edit_delay(drawing& draw)
{
    auto const task = draw.add_plain_task({item::delay, item::long_runs}).number;
    constexpr std::array acts{item::edit_text, item::disable, item::enable, item::edit_limit, item::run};
    for (auto at = 13s; at < acting; at += 4s)
        draw.act(acts[draw.chance() % acts.size()], task, at + draw.between(0s, 3s));
}

constexpr void (*scenes[])(drawing&){rerun_shards,      raise_limit,     return_client,        forget_holders,
                                     stall_edits,       pause_successor, force_beside_replace, set_clock_back,
                                     stop_waiting_work, edit_delay};

} // namespace

void drawing::add_scene()
{
    scenes[seed % std::size(scenes)](*this);
}

} // namespace pairs_sim
