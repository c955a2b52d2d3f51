#include "tests/simulation/pairs_judge.hpp"
#include "tests/simulation/pairs_look.hpp"

#include <climits>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <functional>

namespace pairs_sim {

namespace {

constexpr duration of_an_edit = 3s; // until a change of a limit holds for all
constexpr duration of_a_step = 10s; // the times of an edit are those of another clock then

struct holder {
    std::int64_t execution; // a broadcast for its shards
    utc_time from, until;
    utc_time placed; // when it may have got its place, which a further attempt keeps
    int limit = 0;   // of its version of the task
};

int limit_of(task_version_row const* version)
{
    auto const limit = version == nullptr ? 0 : version->definition.at("concurrency").value("limit", 0);
    return limit == 0 ? INT_MAX : limit;
}

struct limits {
    look const& at;
    violations out{};

    std::vector<holder> holders(std::function<bool(execution_row const&)> const& concerns, bool whole) const;
    void check(int task, std::string const& what, std::vector<holder> const& all,
               std::function<int(utc_time, utc_time)> const& most, bool whole_limits);
    std::string const& key_of(execution_row const& row) const;
    // How long the cluster could read an edit: it cannot while the database stalls.
    duration known_for(utc_time edited, utc_time when) const { return when - edited - at.outages(edited, when, 0s); }
    void tasks();
    void scopes();
};

// Shards have the payload of their broadcast.
std::string const& limits::key_of(execution_row const& row) const
{
    auto const broadcast = row.parent ? at.row.find(*row.parent) : at.row.end();
    return broadcast == at.row.end() ? row.key : broadcast->second->key;
}

// The runs of handlers in live clients that count under a limit. With `whole`, the shards of a broadcast count as one.
std::vector<holder> limits::holders(std::function<bool(execution_row const&)> const& concerns, bool whole) const
{
    std::vector<holder> all;
    for (auto const& call : at.seen.calls) {
        auto const found = at.row.find(call.execution);
        if (found == at.row.end() || !concerns(*found->second) || at.was_silent(call) ||
            at.was_released(call.execution))
            continue;
        auto const& row = *found->second;
        if (whole && row.parent && at.clock_stepped()) // the end of the broadcast is an instant of another clock
            continue;
        auto until = at.told_end_of(call);
        // A broadcast that ends with its first success does not wait for its other shards.
        if (auto const broadcast = row.parent ? at.row.find(*row.parent) : at.row.end();
            whole && broadcast != at.row.end())
            until = std::min(until, broadcast->second->ended_at.value_or(until));
        auto const placed = call.attempt > 1 ? std::min(call.began, row.created_at) : call.began;
        all.push_back(
            {whole && row.parent ? *row.parent : row.id, call.began, until, placed, limit_of(at.version_of(row))});
    }
    std::sort(all.begin(), all.end(), [](auto const& a, auto const& b) { return a.from < b.from; });
    return all;
}

// `most`: the highest limit that was in force between the two instants. An edit of the limit takes effect with the next
// execution of the task, so the limits of the versions count too, if they are those of the task.
void limits::check(int task, std::string const& what, std::vector<holder> const& all,
                   std::function<int(utc_time, utc_time)> const& most, bool whole_limits)
{
    for (auto const& one : all) {
        std::set<std::int64_t> beside;
        auto since = one.placed;
        int limit = 0;
        for (auto const& other : all)
            if (other.from <= one.from && other.until > one.from) {
                beside.insert(other.execution);
                since = std::min(since, other.placed);
                limit = std::max(limit, whole_limits ? other.limit : 0);
            }
        limit = std::max(limit, most(since, one.from));
        if (static_cast<int>(beside.size()) > limit) {
            std::string names;
            for (auto const each : beside)
                names += fmt::format(" {}", each);
            out.push_back({3, task, one.execution,
                           fmt::format("{}: {} run beside one another at {}, and {} may:{}", what, beside.size(),
                                       clock_of(at.seen, one.from), limit, names)});
            return;
        }
    }
}

void limits::tasks()
{
    for (auto const& [id, number] : at.seen.number_of) {
        auto const task = id;
        auto const versions = at.versions.find(id);
        if (versions == at.versions.end())
            continue;
        std::set<std::string> keys;
        if (auto const rows = at.rows.find(id); rows != at.rows.end())
            for (auto const* row : rows->second)
                keys.insert(row->key);
        bool const keyed = at.seen.tasks[static_cast<std::size_t>(number)].has(item::keyed);
        auto const known_within = at.clock_stepped() ? of_an_edit + of_a_step : of_an_edit;
        auto const most = [&, known_within](utc_time from, utc_time until) {
            int limit = 0;
            for (auto v = versions->second.begin(); v != versions->second.end(); ++v) {
                auto const next = std::next(v);
                bool const over = next != versions->second.end() && known_for(next->valid_from, from) > known_within;
                if (over || v->created_at > until + known_within)
                    continue;
                auto const each = v->definition.at("concurrency").value("limit", 0);
                limit = std::max(limit, each == 0 ? INT_MAX : each);
            }
            return limit == 0 ? INT_MAX : limit;
        };
        for (auto const& key : keyed ? keys : std::set<std::string>{""})
            check(number, keyed ? "key " + key : "its task",
                  holders(
                      [&](execution_row const& row) {
                          return row.task == task && (!keyed || key_of(row) == key) && !at.is_forced(row);
                      },
                      true),
                  most, true);
    }
}

void limits::scopes()
{
    auto const& scopes = at.seen.scopes;
    if (scopes.empty())
        return;
    auto const& scope = scopes.front();
    auto const concerns = [&](execution_row const& row) {
        auto const* version = at.version_of(row);
        bool const is_broadcast = at.shards.contains(row.id);
        return version != nullptr && !is_broadcast && version->definition.at("project") == scope.project &&
               (scope.service.empty() || version->definition.at("service") == scope.service);
    };
    auto const most = [&](utc_time from, utc_time until) {
        int limit = 0;
        for (auto s = scopes.begin(); s != scopes.end(); ++s) {
            auto const next = std::find_if(std::next(s), scopes.end(), [](auto const& each) { return each.sure; });
            bool const over = next != scopes.end() && known_for(next->asked, from) > of_an_edit;
            if (!over && s->asked <= until)
                limit = std::max(limit, s->slots);
        }
        return limit == 0 ? INT_MAX : limit;
    };
    check(-1, scope.project + "/" + scope.service, holders(concerns, false), most, false);
}

} // namespace

violations judge_limits(facts const& seen)
{
    look const at(seen);
    limits found{at};
    found.tasks();
    found.scopes();
    return found.out;
}

} // namespace pairs_sim
