#include "tests/simulation/pairs_look.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace pairs_sim {

namespace {

bool stops_the_cluster(item event)
{
    switch (event) {
    case item::kill_master:
    case item::stop_master:
    case item::freeze_master:
    case item::cut_node:
    case item::database_stall:
    case item::database_down:
    case item::lose_answers:
    case item::lose_messages:
    case item::clock_forward:
    case item::clock_back:
        return true;
    default:
        return false;
    }
}

} // namespace

look::look(facts const& all) : seen(all)
{
    for (auto const& each : all.rows) {
        row[each.id] = &each;
        rows[each.task].push_back(&each);
        if (each.rerun_of)
            reruns[*each.rerun_of].push_back(&each);
        if (each.parent)
            shards[*each.parent].push_back(&each);
    }
    for (auto& [task, mine] : rows) // those that the retention deleted come last in the facts
        std::ranges::stable_sort(mine, {}, [](auto const* each) { return each->scheduled_at; });
    for (auto const& each : all.calls)
        calls[each.execution].push_back(&each);
    for (auto const& each : all.acceptances) {
        auto const [at, fresh] = taken.emplace(each.execution, each.at);
        if (!fresh)
            at->second = std::min(at->second, each.at);
    }
    for (auto const& each : all.versions)
        versions[each.task].push_back(each);
}

drawn_task const* look::task_of(std::int64_t id) const
{
    auto const found = seen.number_of.find(id);
    return found == seen.number_of.end() ? nullptr : &seen.tasks[static_cast<std::size_t>(found->second)];
}

task_version_row const* look::version_of(execution_row const& one) const
{
    auto const all = versions.find(one.task);
    if (all == versions.end())
        return nullptr;
    auto const found = std::find_if(all->second.begin(), all->second.end(),
                                    [&](auto const& each) { return each.version == one.version; });
    return found == all->second.end() ? nullptr : &*found;
}

// While the store or a node did not answer, a client may count as gone although its process lives: then it goes on
// under another name while the handler runs.
bool look::was_renamed(handler_call const& call) const
{
    auto const process = [](std::string const& instance) { return instance.substr(0, instance.find('~')); };
    return std::ranges::any_of(seen.calls, [&](handler_call const& other) {
        bool const beside = other.began > call.began && other.began <= end_of(call);
        if (!beside || other.instance == call.instance || process(other.instance) != process(call.instance))
            return false;
        return std::ranges::any_of(seen.events, [&](happened_event const& each) {
            return stops_the_cluster(each.what) && each.began < other.began && each.ended > call.began;
        });
    });
}

bool look::was_silent(handler_call const& call) const
{
    return was_renamed(call) || std::any_of(seen.silences.begin(), seen.silences.end(), [&](silence const& each) {
               return each.instance == call.instance && call.began < each.until && end_of(call) > each.from;
           });
}

bool look::is_forced(execution_row const& one) const
{
    if (one.cause == "forced")
        return true;
    auto const broadcast = one.parent ? row.find(*one.parent) : row.end();
    return broadcast != row.end() && broadcast->second->cause == "forced";
}

bool look::was_released(std::int64_t execution) const
{
    auto const text = "/" + std::to_string(execution) + "/release";
    return std::ranges::any_of(seen.actions, [&](performed_action const& each) {
        return each.what == item::release && each.note.find(text) != std::string::npos;
    });
}

bool look::happened(item event) const
{
    return std::any_of(seen.events.begin(), seen.events.end(), [&](auto const& each) { return each.what == event; });
}

bool look::clock_stepped() const
{
    return happened(item::clock_forward) || happened(item::clock_back);
}

duration look::outages(utc_time from, utc_time until, duration after) const
{
    duration sum{};
    for (auto const& each : seen.events) {
        if (!stops_the_cluster(each.what))
            continue;
        auto const begin = std::max(each.began, from);
        auto const end = std::min(each.ended + after, until);
        sum += std::max<duration>(end - begin, 0s);
    }
    return sum;
}

std::string clock_of(facts const& seen, utc_time at)
{
    return fmt::format("{:.3f} s", static_cast<double>((at - seen.begin).count()) / 1e6);
}

duration millis(json const& object, char const* member)
{
    return object.value(member, std::int64_t{0}) * 1ms;
}

std::vector<utc_time> instants_of(json const& schedule, utc_time from, utc_time until)
{
    std::vector<utc_time> out;
    auto const kind = schedule.at("kind").get<std::string>();
    auto const moment = [&](char const* member, utc_time otherwise) {
        auto const found = schedule.find(member);
        return found == schedule.end() || found->is_null() ? otherwise : baton::from_rfc3339(found->get<std::string>());
    };
    if (kind == "once") {
        auto const at = moment("at", until);
        return at >= from && at < until ? std::vector{at} : out;
    }
    auto const begin = moment("start_at", from);
    auto const first = std::max(from, begin);
    auto const last = std::min(until, moment("end_at", until));
    if (kind == "fixed_rate")
        for (auto at = begin; at < last; at += millis(schedule, "every_ms"))
            if (at >= first)
                out.push_back(at);
    if (kind == "cron") {
        auto const step = std::stoi(schedule.at("cron").get<std::string>().substr(2));
        for (auto at = std::chrono::ceil<std::chrono::seconds>(first); at < last; at += 1s)
            if (at.time_since_epoch().count() % 60 % step == 0)
                out.push_back(at);
    }
    return out;
}

} // namespace pairs_sim
