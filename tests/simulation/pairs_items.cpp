#include "tests/simulation/pairs_items.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace pairs_sim {

namespace {

struct described {
    char const* name;
    item_kind kind;
    int group; // of features
};

constexpr auto feature = item_kind::feature;
constexpr auto action = item_kind::action;
constexpr auto event = item_kind::event;

// In the order of `item`.
constexpr std::array<described, item_count> items{{
    {"cron", feature, 1},
    {"rate", feature, 1},
    {"delay", feature, 1},
    {"once", feature, 1},
    {"after", feature, 1},
    {"api", feature, 1},
    {"misfire fire_once", feature, 2},
    {"misfire fire_all", feature, 2},
    {"misfire within", feature, 2},
    {"misfire skip", feature, 2},
    {"concurrency wait", feature, 3},
    {"concurrency queue", feature, 3},
    {"concurrency skip", feature, 3},
    {"concurrency replace", feature, 3},
    {"concurrency key", feature, 4},
    {"rate limit", feature, 5},
    {"service concurrency", feature, 6},
    {"service rate", feature, 6},
    {"project concurrency", feature, 6},
    {"priority", feature, 7},
    {"retries", feature, 8},
    {"retry on other", feature, 9},
    {"retry on same", feature, 9},
    {"backoff", feature, 10},
    {"final errors", feature, 11},
    {"fails", feature, 12},
    {"timeout", feature, 13},
    {"deaf handler", feature, 14},
    {"start_within skip", feature, 15},
    {"start_within fail", feature, 15},
    {"total", feature, 16},
    {"jitter", feature, 17},
    {"max_firings", feature, 18},
    {"validity", feature, 19},
    {"calendar", feature, 20},
    {"random", feature, 21},
    {"failover", feature, 21},
    {"first", feature, 21},
    {"last", feature, 21},
    {"consistent_hash", feature, 21},
    {"least_loaded", feature, 21},
    {"skip_busy", feature, 21},
    {"instance", feature, 21},
    {"broadcast", feature, 21},
    {"broadcast shards", feature, 21},
    {"ends any", feature, 22},
    {"tag", feature, 23},
    {"context", feature, 24},
    {"large payload", feature, 25},
    {"long runs", feature, 26},
    {"max_deaths 1", feature, 27},
    {"edit text", action, 0},
    {"edit schedule", action, 0},
    {"edit limit", action, 0},
    {"disable", action, 0},
    {"enable", action, 0},
    {"delete", action, 0},
    {"move to service", action, 0},
    {"change scope", action, 0},
    {"rerun", action, 0},
    {"release", action, 0},
    {"cancel", action, 0},
    {"run", action, 0},
    {"force", action, 0},
    {"skip next", action, 0},
    {"undo skip", action, 0},
    {"pause hold", action, 0},
    {"pause skip", action, 0},
    {"resume", action, 0},
    {"change calendar", action, 0},
    {"kill master", event, 0},
    {"stop master", event, 0},
    {"freeze master", event, 0},
    {"kill client", event, 0},
    {"drain client", event, 0},
    {"drain by web", event, 0},
    {"freeze client", event, 0},
    {"hold client", event, 0},
    {"database stall", event, 0},
    {"database down", event, 0},
    {"cut node", event, 0},
    {"lose answers", event, 0},
    {"lose messages", event, 0},
    {"clock forward", event, 0},
    {"clock back", event, 0},
    {"freeze web", event, 0},
    {"retention", event, 0},
    {"zone change", event, 0},
    {"oversize", event, 0},
}};

bool is_one(item which, std::initializer_list<item> of)
{
    return std::find(of.begin(), of.end(), which) != of.end();
}

bool is_broadcast(item which)
{
    return is_one(which, {item::broadcast_clients, item::broadcast_number});
}

bool is_clocked(item schedule) // fires again and again
{
    return is_one(schedule, {item::cron, item::rate, item::delay});
}

// True if `a` rules out `b`.
bool excludes(item a, item b)
{
    bool const is_schedule = kind_of(a) == feature && group_of(a) == 1;
    if (is_schedule && !is_clocked(a) && is_one(b, {item::jitter, item::maximum, item::validity, item::calendar}))
        return true;
    if (is_schedule && !is_one(a, {item::cron, item::rate, item::once}) &&
        is_one(b, {item::skip_next, item::undo_skip}))
        return true;
    if (b == item::change_calendar && is_schedule && !is_clocked(a))
        return true;
    if (a == item::ends_any && kind_of(b) == feature && group_of(b) == group_of(item::broadcast_number))
        return !is_broadcast(b);
    return false;
}

} // namespace

char const* name_of(item which)
{
    return items[static_cast<std::size_t>(which)].name;
}

item_kind kind_of(item which)
{
    return items[static_cast<std::size_t>(which)].kind;
}

int group_of(item which)
{
    return items[static_cast<std::size_t>(which)].group;
}

std::vector<item> const& all_of(item_kind which)
{
    static auto const lists = [] {
        std::array<std::vector<item>, 3> out;
        for (std::size_t i = 0; i < item_count; ++i)
            out[static_cast<std::size_t>(items[i].kind)].push_back(static_cast<item>(i));
        return out;
    }();
    return lists[static_cast<std::size_t>(which)];
}

bool fit(item a, item b)
{
    if (kind_of(a) == feature && kind_of(b) == feature && group_of(a) == group_of(b))
        return false;
    return !excludes(a, b) && !excludes(b, a);
}

std::vector<item_pair> const& all_pairs()
{
    static auto const pairs = [] {
        std::vector<item_pair> out;
        for (std::size_t i = 0; i < item_count; ++i)
            for (std::size_t j = i + 1; j < item_count; ++j) {
                auto const a = static_cast<item>(i);
                auto const b = static_cast<item>(j);
                if (kind_of(a) != event && fit(a, b))
                    out.push_back({a, b});
            }
        return out;
    }();
    return pairs;
}

} // namespace pairs_sim
