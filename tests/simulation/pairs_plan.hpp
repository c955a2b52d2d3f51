#pragma once
// The draw of a run: its tasks with their features, what people do to them, and what happens to the cluster.

#include "tests/simulation/pairs_facts.hpp"

#include <random>

namespace pairs_sim {

struct planned_action {
    item what;
    int task = 0;
    duration at{}; // from the begin of the run
};

struct planned_event {
    item what;
    duration at{}, span{};
    int client = -1; // that it concerns; -1: any
};

struct plan {
    std::vector<drawn_task> tasks;
    std::vector<planned_action> actions; // in order
    std::vector<planned_event> events;   // in order
    int queue = 2;                       // of each client
    item scope = item::service_slots;    // the kind of limit that the scope of this run has
};

inline constexpr duration acting = 60s; // actions and events begin within this time
inline constexpr char plain_service[] = "plain";
inline constexpr char limited_service[] = "limited"; // of the project below
inline constexpr char limited_project[] = "limits";
inline constexpr char other_service[] = "other"; // of both projects
inline constexpr char calendar_name[] = "nights";

// Walks through all pairs of features and actions from seed to seed, so that many seeds draw each of them about equally
// often; events likewise. What else a task has is drawn at random.
plan make_plan(std::uint64_t seed);

// The registration of a task with these features; its schedule begins at `begin`.
json definition_of(drawn_task const& task, std::vector<drawn_task> const& all, utc_time begin, std::mt19937_64& chance);

// Another schedule of the same kind.
json other_schedule(json schedule, std::mt19937_64& chance);

} // namespace pairs_sim
