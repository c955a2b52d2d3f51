#pragma once
// The draw of one plan, under way.

#include "tests/simulation/pairs_plan.hpp"

#include <initializer_list>
#include <random>

namespace pairs_sim {

struct drawing {
    std::uint64_t seed;
    std::mt19937_64 chance;
    plan made{};

    int from(int least, int most)
    {
        return least + static_cast<int>(chance() % static_cast<unsigned>(most - least + 1));
    }
    bool percent(int share) { return from(1, 100) <= share; }
    duration between(duration least, duration most)
    {
        return least +
               duration{static_cast<std::int64_t>(chance() % static_cast<std::uint64_t>((most - least).count()))};
    }

    bool can_have(drawn_task const& task, item which) const;
    void give(drawn_task& task, item which);
    void add_target(std::uint64_t number);
    drawn_task& add_task(std::initializer_list<item> first);
    void fill(drawn_task& task);
    void complete(drawn_task& task);
    void act(item what, int task, duration at);
    void add_events();
    void find_parents();
    void add_scene(); // pairs_scenes.cpp
    drawn_task& add_plain_task(std::initializer_list<item> only);
};

} // namespace pairs_sim
