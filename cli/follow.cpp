#include "cli/follow.hpp"

#include "cli/rest.hpp"
#include "libs/base/printable.hpp"

#include <algorithm>
#include <iostream>
#include <thread>

namespace baton::cli {

namespace {

constexpr std::size_t most_single = 100;
constexpr std::size_t wider = 20;
constexpr duration look_pause = 1s;

bool has_ended(nlohmann::json const& execution)
{
    return !execution.at("ended_at").is_null();
}

} // namespace

std::vector<nlohmann::json> execution_watch::changed(std::vector<nlohmann::json> const& list)
{
    std::vector<nlohmann::json> found;
    std::map<std::string, std::string> known;
    last_list_.clear();
    for (auto const& each : list) {
        auto const id = each.at("id").get<std::string>();
        last_list_.insert(id);
        if (each.at("state") == "planned" && each.at("reason").is_null())
            continue;
        auto const seen = cell(each, "state") + " " + cell(each, "attempt") + " " + cell(each, "reason");
        auto const before = known_.find(id);
        if (before == known_.end() || before->second != seen)
            found.push_back(each);
        known[id] = seen;
        if (has_ended(each))
            open_.erase(id);
        else
            open_.insert(id);
    }
    for (auto const& id : open_)
        if (auto const before = known_.find(id); before != known_.end())
            known.insert(*before);
    known_ = std::move(known);
    std::reverse(found.begin(), found.end());
    return found;
}

bool execution_watch::joins(std::vector<nlohmann::json> const& list) const
{
    return last_list_.empty() || list.empty() || std::any_of(list.begin(), list.end(), [&](auto const& each) {
               return last_list_.contains(each.at("id").template get<std::string>());
           });
}

std::vector<std::string> execution_watch::unseen_open() const
{
    std::vector<std::string> found;
    for (auto const& id : open_)
        if (!last_list_.contains(id) && found.size() < most_single)
            found.push_back(id);
    return found;
}

std::string follow_line(nlohmann::json const& execution, times const& at)
{
    char const* const when = has_ended(execution) ? "ended_at" : "scheduled_at";
    auto line = at.cell(execution, when) + "  " + cell(execution, "id") + "  " + cell(execution, "task_name") + "  " +
                cell(execution, "state") + "  " + cell(execution, "attempt") + "/" + cell(execution, "max_attempts");
    if (auto const reason = cell(execution, "reason"); reason != "-")
        line += "  " + reason;
    return printable(line);
}

void follow_executions(rest& web, std::string const& target, std::size_t limit, common_options const& common)
{
    auto const at = times_of(common);
    execution_watch watch;
    for (;;) {
        auto list = web.list(target, limit);
        if (list.size() >= limit && !watch.joins(list))
            list = web.list(target, wider * limit);
        if (list.size() >= wider * limit && !watch.joins(list))
            std::cerr << "baton: more executions than can be followed: some are left out\n";
        for (auto const& id : watch.unseen_open()) {
            auto one = web.get("/api/v1/executions/" + id);
            one.erase("attempts");
            list.push_back(std::move(one));
        }
        for (auto const& each : watch.changed(list)) {
            if (common.json)
                std::cout << printable_json(each.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))
                          << '\n';
            else
                std::cout << follow_line(each, at) << '\n';
        }
        if (!std::cout.flush()) // the reader is gone
            return;
        std::this_thread::sleep_for(look_pause);
    }
}

} // namespace baton::cli
