#include "cli/follow.hpp"

#include "cli/attempts.hpp"
#include "cli/rest.hpp"
#include "libs/base/printable.hpp"

#include <algorithm>
#include <iostream>
#include <thread>

namespace baton::cli {

namespace {

constexpr std::size_t most_single = 100;
constexpr std::size_t one_page = 500;
constexpr duration look_pause = 1s;

bool has_ended(nlohmann::json const& execution)
{
    return !execution.at("ended_at").is_null();
}

// Web or a proxy before it is away, or its database.
bool will_pass(request_failed const& failure)
{
    return failure.status() == 0 || failure.status() == 502 || failure.status() == 503 || failure.status() == 504;
}

} // namespace

follow_window::place follow_window::place_of(nlohmann::json const& execution)
{
    auto const id = execution.at("id").get<std::string>();
    return {execution.at("scheduled_at").get<std::string>(), id.size(), id};
}

bool follow_window::needs_more(std::vector<nlohmann::json> const& list) const
{
    if (first_)
        return list.size() < limit_;
    return !begin_ || list.empty() || place_of(list.back()) >= *begin_;
}

void follow_window::take(std::vector<nlohmann::json>& list)
{
    if (first_ && list.size() > limit_)
        list.resize(limit_);
    while (begin_ && !list.empty() && place_of(list.back()) < *begin_)
        list.pop_back();
    if (list.size() >= limit_)
        begin_ = place_of(list[limit_ - 1]);
    first_ = false;
}

std::vector<nlohmann::json> execution_watch::changed(std::vector<nlohmann::json> const& list)
{
    std::vector<nlohmann::json> found;
    std::map<std::string, std::string> known;
    for (auto const& each : list) {
        auto const id = each.at("id").get<std::string>();
        if (has_ended(each))
            open_.erase(id);
        else
            open_.insert(id);
        if (each.at("state") == "planned" && each.at("reason").is_null())
            continue;
        auto const seen = cell(each, "state") + " " + cell(each, "attempt") + " " + cell(each, "reason");
        auto const before = known_.find(id);
        if (before == known_.end() || before->second != seen)
            found.push_back(each);
        known[id] = seen;
    }
    for (auto const& id : open_)
        if (auto const before = known_.find(id); before != known_.end())
            known.insert(*before);
    known_ = std::move(known);
    std::reverse(found.begin(), found.end());
    return found;
}

std::vector<std::string> execution_watch::unseen_open(std::vector<nlohmann::json> const& list)
{
    auto unseen = open_;
    for (auto const& each : list)
        unseen.erase(each.at("id").get<std::string>());
    std::vector<std::string> found;
    auto next = unseen.upper_bound(last_asked_);
    while (found.size() < std::min(most_single, unseen.size())) {
        if (next == unseen.end())
            next = unseen.begin();
        found.push_back(*next++);
    }
    if (!found.empty())
        last_asked_ = found.back();
    return found;
}

std::string follow_line(nlohmann::json const& execution, times const& at)
{
    char const* const when = has_ended(execution) ? "ended_at" : "scheduled_at";
    auto line = at.cell(execution, when) + "  " + cell(execution, "id") + "  " + cell(execution, "task_name") + "  " +
                cell(execution, "state") + "  " + attempts_text(execution);
    if (auto const reason = cell(execution, "reason"); reason != "-")
        line += "  " + reason;
    return printable(line);
}

namespace {

// The executions of the window, and then the open ones before it.
std::vector<nlohmann::json> look_at(rest& web, std::string const& target, std::size_t limit, follow_window& window,
                                    execution_watch& watch)
{
    std::vector<nlohmann::json> list;
    nlohmann::json next;
    do {
        auto page = web.page(target, list.empty() ? limit : one_page, next);
        for (auto& each : page.at("items"))
            list.push_back(std::move(each));
        next = page.at("next");
    } while (!next.is_null() && window.needs_more(list));
    auto after = window;
    after.take(list);
    for (auto const& id : watch.unseen_open(list)) {
        try {
            auto one = web.get("/api/v1/executions/" + id);
            one.erase("attempts");
            list.push_back(std::move(one));
        } catch (request_failed const& failure) {
            if (failure.status() != 404)
                throw;
            watch.forget(id);
        }
    }
    window = after; // only now, as the next look must read the same after a failure
    return list;
}

void print(std::vector<nlohmann::json> const& changes, times const& at, common_options const& common)
{
    for (auto const& each : changes) {
        if (common.json)
            std::cout << printable_json(each.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)) << '\n';
        else
            std::cout << follow_line(each, at) << '\n';
    }
}

} // namespace

void follow_executions(rest& web, std::string const& target, std::size_t limit, common_options const& common)
{
    auto const at = times_of(common);
    follow_window window(limit);
    execution_watch watch;
    bool seen = false;    // before, a failure ends it: the address may be wrong
    bool waiting = false; // which it says once
    for (;;) {
        try {
            print(watch.changed(look_at(web, target, limit, window, watch)), at, common);
            seen = true;
            waiting = false;
        } catch (request_failed const& failure) {
            if (!seen || !will_pass(failure))
                throw;
            if (!waiting)
                std::cerr << "baton: " << printable(failure.what()) << "; waiting until it answers" << std::endl;
            waiting = true;
        }
        if (!std::cout.flush()) // the reader is gone
            return;
        std::this_thread::sleep_for(look_pause);
    }
}

} // namespace baton::cli
