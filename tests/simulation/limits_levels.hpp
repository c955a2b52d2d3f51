#pragma once
// The levels of limits above an execution: of its task, its service and its project.

#include "tests/simulation/limits_facts.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace limits_sim {

struct level {
    int slots = 0; // 0: no limit
    rate tokens{};
    int used = 0;
    utc_time freed{};    // the last time that a slot became free
    utc_time all_back{}; // when all tokens are there again, at the latest

    bool has_slot() const { return slots == 0 || used < slots; }
    // When a token is there for sure.
    utc_time token_at() const
    {
        return tokens.limit == 0 ? utc_time{} : all_back - tokens.interval() * (tokens.burst - 1);
    }
    void take(utc_time at)
    {
        if (tokens.limit != 0)
            all_back = std::max(all_back, at) + tokens.interval();
    }
    // A rate of more than a token a second begins without tokens. What is known of a slower one is a second old.
    void new_master(utc_time died, utc_time at)
    {
        using namespace std::chrono_literals;
        freed = at;
        if (tokens.limit == 0)
            return;
        bool const perhaps_taken = std::chrono::abs(token_at() - died) < 100ms; // for one that was not sent
        if (tokens.interval() <= 1s)
            all_back = at + tokens.interval() * tokens.burst;
        else
            all_back = std::max(all_back, died) + 1s + (perhaps_taken ? tokens.interval() : 0s);
    }
};

class levels {
public:
    explicit levels(record const& seen)
    {
        for (auto const& each : seen.scopes)
            scopes_[{each.project, each.service}] = {each.concurrency, each.tokens};
        for (auto const& each : seen.tasks) {
            auto& mine = above_[each.id];
            if (each.tokens.limit != 0) {
                tasks_[each.id] = {0, each.tokens};
                mine.push_back(&tasks_[each.id]);
            }
            for (auto const& name : {each.service, std::string()})
                if (auto const found = scopes_.find({each.project, name}); found != scopes_.end())
                    mine.push_back(&found->second);
        }
    }
    levels(levels const&) = delete;

    // Those that wait may go at once, and those that are under way count.
    void set_slots(scope const& of, int slots, utc_time at)
    {
        auto& one = scopes_.at({of.project, of.service});
        one.slots = slots;
        one.freed = at;
    }

    std::vector<level*> const& above(int task) const { return above_.at(task); }
    template <class What>
    void each(What const& what)
    {
        for (auto& [id, one] : tasks_)
            what(one);
        for (auto& [key, one] : scopes_)
            what(one);
    }

private:
    std::map<std::pair<std::string, std::string>, level> scopes_;
    std::map<int, level> tasks_;
    std::map<int, std::vector<level*>> above_;
};

} // namespace limits_sim
