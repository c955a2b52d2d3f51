#pragma once
// The random choices of which the schedules of a year are made.

#include "tests/simulation/year_oracle.hpp"

#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace year_oracle {

// The values that a field admits, with the text that says so.
struct field {
    std::string text = "*";
    std::set<int> values{}; // empty: all
    bool starred() const { return text.front() == '*'; }
    bool admits(int value) const { return values.empty() || values.contains(value); }
};

struct draw {
    std::mt19937_64& chance;
    int below(int count) { return static_cast<int>(chance() % static_cast<std::uint64_t>(count)); }
    bool percent(int share) { return below(100) < share; }
    template <class Value>
    Value one_of(std::vector<Value> const& all)
    {
        return all[static_cast<std::size_t>(below(static_cast<int>(all.size())))];
    }
    field some(int least, int most, int count)
    {
        field out{"", {}};
        while (static_cast<int>(out.values.size()) < count)
            out.values.insert(least + below(most - least + 1));
        for (auto const value : out.values)
            out.text += (out.text.empty() ? "" : ",") + std::to_string(value);
        return out;
    }
    static field every(int step, int least, int most)
    {
        field out{"*/" + std::to_string(step), {}};
        for (int value = least; value <= most; value += step)
            out.values.insert(value);
        return out;
    }
};

// A policy for the times that a clock leaves out, and one for those that it shows twice.
struct clock_rule {
    enum class gap { skip, next_valid, shift } left_out;
    enum class overlap { first, second, both } twice;
};

using match = std::function<bool(local_minute const&)>;
std::vector<utc_time> firings_of(zone_year const& zone, utc_time begin, clock_rule rule, match const& matches);
// Half of the schedules leave it to the usual rule; the others name one.
clock_rule draw_clock_rule(draw& random, clock_rule usual, nlohmann::json& schedule);

bool on_weekday(local_minute const& at);
int last_weekday(local_minute const& at); // of the month, from Monday to Friday
// W of Quartz: the day from Monday to Friday that is nearest, in the same month.
int nearest_weekday(local_minute const& at, int day);

task crontab(draw& random, zone_year const& zone, utc_time begin);
task quartz(draw& random, zone_year const& zone, utc_time begin);

} // namespace year_oracle
