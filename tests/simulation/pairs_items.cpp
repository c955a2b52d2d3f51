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

constexpr auto a_feature = item_kind::feature;
constexpr auto an_action = item_kind::action;
constexpr auto an_event = item_kind::event;

// In the order of `item`.
constexpr std::array<described, item_count> items{{
    {"cron", a_feature, 1},
    {"rate", a_feature, 1},
    {"delay", a_feature, 1},
    {"once", a_feature, 1},
    {"after", a_feature, 1},
    {"api", a_feature, 1},
    {"misfire fire_once", a_feature, 2},
    {"misfire fire_all", a_feature, 2},
    {"misfire within", a_feature, 2},
    {"misfire skip", a_feature, 2},
    {"concurrency wait", a_feature, 3},
    {"concurrency queue", a_feature, 3},
    {"concurrency skip", a_feature, 3},
    {"concurrency replace", a_feature, 3},
    {"concurrency key", a_feature, 4},
    {"rate limit", a_feature, 5},
    {"service concurrency", a_feature, 6},
    {"service rate", a_feature, 6},
    {"project concurrency", a_feature, 6},
    {"priority", a_feature, 7},
    {"retries", a_feature, 8},
    {"retry on other", a_feature, 9},
    {"retry on same", a_feature, 9},
    {"backoff", a_feature, 10},
    {"final errors", a_feature, 11},
    {"fails", a_feature, 12},
    {"timeout", a_feature, 13},
    {"deaf handler", a_feature, 14},
    {"start_within skip", a_feature, 15},
    {"start_within fail", a_feature, 15},
    {"total", a_feature, 16},
    {"jitter", a_feature, 17},
    {"max_firings", a_feature, 18},
    {"validity", a_feature, 19},
    {"calendar", a_feature, 20},
    {"random", a_feature, 21},
    {"failover", a_feature, 21},
    {"first", a_feature, 21},
    {"last", a_feature, 21},
    {"consistent_hash", a_feature, 21},
    {"least_loaded", a_feature, 21},
    {"skip_busy", a_feature, 21},
    {"instance", a_feature, 21},
    {"broadcast", a_feature, 21},
    {"broadcast shards", a_feature, 21},
    {"ends any", a_feature, 22},
    {"tag", a_feature, 23},
    {"context", a_feature, 24},
    {"large payload", a_feature, 25},
    {"long runs", a_feature, 26},
    {"max_deaths 1", a_feature, 27},
    {"edit text", an_action, 0},
    {"edit schedule", an_action, 0},
    {"edit limit", an_action, 0},
    {"disable", an_action, 0},
    {"enable", an_action, 0},
    {"delete", an_action, 0},
    {"move to service", an_action, 0},
    {"change scope", an_action, 0},
    {"rerun", an_action, 0},
    {"release", an_action, 0},
    {"cancel", an_action, 0},
    {"run", an_action, 0},
    {"force", an_action, 0},
    {"skip next", an_action, 0},
    {"undo skip", an_action, 0},
    {"pause hold", an_action, 0},
    {"pause skip", an_action, 0},
    {"resume", an_action, 0},
    {"change calendar", an_action, 0},
    {"kill master", an_event, 0},
    {"stop master", an_event, 0},
    {"freeze master", an_event, 0},
    {"kill client", an_event, 0},
    {"drain client", an_event, 0},
    {"drain by web", an_event, 0},
    {"freeze client", an_event, 0},
    {"hold client", an_event, 0},
    {"database stall", an_event, 0},
    {"database down", an_event, 0},
    {"cut node", an_event, 0},
    {"lose answers", an_event, 0},
    {"lose messages", an_event, 0},
    {"clock forward", an_event, 0},
    {"clock back", an_event, 0},
    {"freeze web", an_event, 0},
    {"retention", an_event, 0},
    {"zone change", an_event, 0},
    {"oversize", an_event, 0},
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
    bool const is_schedule = kind_of(a) == a_feature && group_of(a) == 1;
    if (is_schedule && !is_clocked(a) && is_one(b, {item::jitter, item::maximum, item::validity, item::calendar}))
        return true;
    if (is_schedule && !is_one(a, {item::cron, item::rate, item::once}) &&
        is_one(b, {item::skip_next, item::undo_skip}))
        return true;
    if (b == item::change_calendar && is_schedule && !is_clocked(a))
        return true;
    if (a == item::ends_any && kind_of(b) == a_feature && group_of(b) == group_of(item::broadcast_number))
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
    if (kind_of(a) == a_feature && kind_of(b) == a_feature && group_of(a) == group_of(b))
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
                if (kind_of(a) != an_event && fit(a, b))
                    out.push_back({a, b});
            }
        return out;
    }();
    return pairs;
}

} // namespace pairs_sim
