#include "tests/simulation/pairs_table.hpp"

#include "tests/simulation/pairs_known.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>

namespace pairs_sim {

namespace {

constexpr duration close_to = 5s;

bool was_done(performed_action const& act)
{
    return act.task >= 0 && act.status >= 200 && act.status < 300;
}

item_pair ordered(item a, item b)
{
    return a < b ? item_pair{a, b} : item_pair{b, a};
}

} // namespace

std::map<item_pair, int> pairs_in(facts const& seen)
{
    std::map<item_pair, int> out;
    for (auto const& task : seen.tasks) {
        for (auto const a : task.features) {
            for (auto const b : task.features)
                if (a < b)
                    ++out[{a, b}];
            for (auto const& act : seen.actions)
                if (act.task == task.number && was_done(act))
                    ++out[ordered(a, act.what)];
            for (auto const& event : seen.events)
                ++out[ordered(a, event.what)];
        }
        for (auto a = seen.actions.begin(); a != seen.actions.end(); ++a)
            for (auto b = std::next(a); b != seen.actions.end(); ++b)
                if (a->task == task.number && b->task == task.number && was_done(*a) && was_done(*b) &&
                    a->what != b->what)
                    ++out[ordered(a->what, b->what)];
    }
    for (auto const& act : seen.actions)
        for (auto const& event : seen.events)
            if (was_done(act) && act.answered > event.began - close_to && act.sent < event.ended + close_to)
                ++out[ordered(act.what, event.what)];
    return out;
}

void append_all_pairs()
{
    char const* const name = std::getenv("BATON_PAIRS");
    if (name == nullptr)
        return;
    std::ofstream file(name, std::ios::app);
    for (auto const& pair : all_pairs())
        if (is_drawn(pair.b))
            file << 0 << '\t' << name_of(pair.a) << '\t' << name_of(pair.b) << '\n';
}

void append_pairs(facts const& seen)
{
    char const* const name = std::getenv("BATON_PAIRS");
    if (name == nullptr)
        return;
    std::ofstream file(name, std::ios::app);
    for (auto const& [pair, count] : pairs_in(seen))
        file << count << '\t' << name_of(pair.a) << '\t' << name_of(pair.b) << '\n';
}

} // namespace pairs_sim
