#include "tests/simulation/limits_draw.hpp"

#include <algorithm>

namespace limits_sim {

namespace {

using namespace std::chrono_literals;

struct drawing {
    std::mt19937_64& chance;
    record made{};

    int from(int least, int most)
    {
        return least + static_cast<int>(chance() % static_cast<unsigned>(most - least + 1));
    }
    bool percent(int share) { return from(1, 100) <= share; }

    // A task that is busy for so many percent of the time that its limit allows.
    task& add(char const* project, char const* service, int limit, int load)
    {
        auto& one = made.tasks.emplace_back();
        one.id = static_cast<int>(made.tasks.size());
        one.project = project;
        one.service = service;
        one.limit = limit;
        auto const every = from(4, 20);
        one.every = every * 1s;
        one.offset = from(1, every) * 1s;
        one.longest = std::max(1, every * std::max(limit, 1) * load / 60); // half of it on the average
        return one;
    }
    rate draw_rate(int least_ms, int most_ms)
    {
        auto const per = from(least_ms, most_ms);
        return {from(1, 3), std::max(1000, per) * 1ms, from(1, 4)};
    }
};

void add_gates(drawing& draw)
{
    for (auto const how : {when_full::wait, when_full::skip, when_full::replace, when_full::wait})
        for (int const keyed : {0, 0, 1}) {
            auto& one =
                draw.add("default", "gates", draw.from(1, keyed != 0 ? 2 : 3), how == when_full::wait ? 70 : 120);
            one.when_full = how;
            one.keyed = keyed != 0;
            one.storm = draw.percent(70) ? draw.from(1, 5) : 0;
            if (one.keyed)
                one.every = draw.percent(50) ? one.every : 0s;
            if (one.every == 0s)
                one.storm = 6;
        }
    for (auto& one : draw.made.tasks) {
        if (one.when_full == when_full::wait && one.id > 9)
            one.queue = draw.from(1, 3);
        if (one.when_full == when_full::wait && draw.percent(50))
            one.attempts = draw.from(2, 3);
        if (draw.percent(25))
            one.start_within = draw.from(4, 15) * 1s + 350ms;
    }
}

void add_rates(drawing& draw)
{
    for (int i = 0; i < 5; ++i) {
        auto& one = draw.add("default", "rated", draw.percent(40) ? draw.from(1, 3) : 0, 60);
        one.tokens = i < 2 ? draw.draw_rate(1'000, 1'700) : draw.draw_rate(3'300, 14'000);
        one.every =
            std::max<duration>(one.every, std::chrono::ceil<std::chrono::seconds>(one.tokens.interval() * 5 / 4));
        one.storm = draw.from(1, 4);
        one.attempts = draw.percent(30) ? 2 : 1;
        one.start_within = draw.percent(30) ? draw.from(4, 25) * 1s + 350ms : 0s;
    }
}

// Tasks that wait for the limits of their service or project, in the order of their priorities.
void add_shared(drawing& draw)
{
    for (int i = 0; i < 5; ++i) {
        auto& one = draw.add("default", "shared", draw.percent(30) ? draw.from(1, 2) : 0, 25);
        one.priority = draw.from(-2, 3);
        one.storm = draw.from(0, 3);
        one.attempts = draw.percent(30) ? 2 : 1;
    }
    draw.made.scopes.push_back({"default", "shared", draw.from(2, 3), {}});
    for (int i = 0; i < 6; ++i) {
        auto& one = draw.add("p2", i % 2 == 0 ? "a" : "b", 0, 25);
        one.priority = draw.from(-1, 1);
        one.storm = draw.from(0, 2);
        if (i == 4)
            one.tokens = draw.draw_rate(2'000, 9'000);
    }
    draw.made.scopes.push_back({"p2", "a", draw.from(2, 3), {}});
    draw.made.scopes.push_back({"p2", "b", 0, {draw.from(2, 4), draw.from(2'100, 5'700) * 1ms, draw.from(1, 3)}});
    draw.made.scopes.push_back(
        {"p2", "", draw.from(4, 5), {draw.from(3, 6), draw.from(3'100, 5'700) * 1ms, draw.from(2, 4)}});
}

} // namespace

record draw_tasks(std::mt19937_64& chance)
{
    drawing draw{chance};
    add_gates(draw);
    add_rates(draw);
    add_shared(draw);
    return std::move(draw.made);
}

} // namespace limits_sim
