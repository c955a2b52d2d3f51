#include "tests/simulation/limits_oracle.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

// The invariants, checked on the record alone.

namespace limits_sim {

using namespace std::chrono_literals;

namespace {

constexpr duration of_the_way = 5ms;   // messages may take different times to the client
constexpr duration of_an_edit = 150ms; // until the master has read it

struct span {
    utc_time begin, end;
};

// Since when there may be so many; 0 is no limit.
using limits_in_time = std::map<utc_time, int>;

// The most that may be under way when one begins at this time.
int most_allowed(limits_in_time const& limits, utc_time at)
{
    auto const first = limits.upper_bound(at - of_an_edit);
    int most = std::prev(first)->second;
    for (auto i = first; i != limits.end() && i->first <= at; ++i)
        most = most == 0 || i->second == 0 ? 0 : std::max(most, i->second);
    return most;
}

// The first time at which more begin to be under way than may be.
std::optional<std::pair<utc_time, int>> beyond(std::vector<span> const& all, limits_in_time const& limits)
{
    std::multimap<utc_time, int> changes;
    for (auto const& one : all) {
        changes.emplace(one.begin, 1);
        changes.emplace(one.end, -1);
    }
    int present = 0;
    for (auto i = changes.begin(); i != changes.end();) {
        auto const at = i->first;
        int begun = 0;
        for (; i != changes.end() && i->first == at; ++i)
            i->second < 0 ? --present : ++begun;
        present += begun;
        if (auto const most = most_allowed(limits, at); begun > 0 && most != 0 && present > most)
            return std::pair{at, present};
    }
    return std::nullopt;
}

// In any span as many as the rate gives in it, and the burst.
bool keeps_rate(rate const& of, std::vector<utc_time> begins)
{
    std::sort(begins.begin(), begins.end());
    utc_time all_back{};
    for (auto const at : begins) {
        all_back = std::max(all_back, at) + of.interval();
        if (all_back > at + of.interval() * of.burst + of_the_way)
            return false;
    }
    return true;
}

struct looks {
    record const& seen;
    std::string wrong{};

    utc_time end_of(attempt const& one) const { return one.ended.value_or(seen.end); }
    void runs_of_keys();
    void scopes();
    void rates(std::string const& name, rate const& of, auto const& concerns);
    void firings();
};

void looks::runs_of_keys()
{
    std::map<std::pair<int, std::string>, std::vector<span>> runs;
    for (auto const& one : seen.executions)
        for (auto const& each : one.attempts)
            if (!one.forced)
                runs[{one.task, one.key}].push_back({each.began, end_of(each)});
    for (auto const& [key, all] : runs) {
        auto const limit = seen.tasks[static_cast<std::size_t>(key.first - 1)].limit;
        if (auto const found = beyond(all, {{utc_time{}, limit}}))
            wrong += fmt::format("task {} {}: {} at a time at {}, and {} may be\n", key.first, key.second,
                                 found->second, clock_of(seen, found->first), limit);
    }
}

void looks::rates(std::string const& name, rate const& of, auto const& concerns)
{
    std::vector<utc_time> begins;
    for (auto const& one : seen.executions)
        for (auto const& each : one.attempts)
            if (concerns(seen.tasks[static_cast<std::size_t>(one.task - 1)]))
                begins.push_back(each.began);
    if (of.limit != 0 && !keeps_rate(of, std::move(begins)))
        wrong += fmt::format("{}: more than {} in {} ms and {} at once\n", name, of.limit, of.per / 1ms, of.burst);
}

void looks::scopes()
{
    for (std::size_t i = 0; i < seen.scopes.size(); ++i) {
        auto const& scope = seen.scopes[i];
        auto const name = scope.project + "/" + scope.service;
        auto const concerns = [&](task const& one) {
            return one.project == scope.project && (scope.service.empty() || one.service == scope.service);
        };
        rates(name, scope.tokens, concerns);
        std::vector<span> all;
        for (auto const& one : seen.executions)
            if (!one.attempts.empty() && concerns(seen.tasks[static_cast<std::size_t>(one.task - 1)]))
                all.push_back({one.attempts.front().began, end_of(one.attempts.back())});
        limits_in_time limits{{utc_time{}, scope.concurrency}};
        for (auto const& edit : seen.edits)
            if (edit.scope == i)
                limits[edit.at] = edit.concurrency;
        if (auto const found = beyond(all, limits))
            wrong += fmt::format("{}: {} at a time at {}, and {} may be\n", name, found->second,
                                 clock_of(seen, found->first), most_allowed(limits, found->first));
    }
    for (auto const& task : seen.tasks)
        rates(fmt::format("task {}", task.id), task.tokens, [&](auto const& one) { return one.id == task.id; });
}

// Each firing has one row until the end of the last term.
void looks::firings()
{
    auto const until = seen.terms.back().ended;
    std::map<int, std::vector<utc_time>> rows;
    for (auto const& one : seen.executions)
        if (!one.by_hand && one.due <= until)
            rows[one.task].push_back(one.due);
    for (auto const& task : seen.tasks) {
        std::vector<utc_time> due;
        for (auto at = seen.begin + task.offset; task.every > 0s && at <= until; at += task.every)
            due.push_back(at);
        if (rows[task.id] != due)
            wrong += fmt::format("task {}: {} firings, expected {}\n", task.id, rows[task.id].size(), due.size());
    }
}

} // namespace

std::string broken_rules(record const& seen)
{
    looks all{seen};
    all.runs_of_keys();
    all.scopes();
    all.firings();
    return all.wrong;
}

std::string text_of(record const& seen)
{
    std::string out;
    for (auto const& one : seen.terms)
        out += fmt::format("master from {} to {}\n", clock_of(seen, one.began), clock_of(seen, one.ended));
    for (auto const& one : seen.edits)
        out += fmt::format("limit of {}/{} is {} from {}\n", seen.scopes[one.scope].project,
                           seen.scopes[one.scope].service, one.concurrency, clock_of(seen, one.at));
    for (auto const& one : seen.executions) {
        out += fmt::format("{} task {} {}{} due {} created {} {} {}", one.id, one.task, one.forced ? "forced " : "",
                           one.key, clock_of(seen, one.due), clock_of(seen, one.created), one.state, one.reason);
        for (auto const& run : one.attempts)
            out += fmt::format(" [{} to {} {}]", clock_of(seen, run.began),
                               run.ended ? clock_of(seen, *run.ended) : "now", run.outcome);
        out += "\n";
    }
    return out;
}

} // namespace limits_sim
