#pragma once
// What happened in a run of pairs_sim, as seen from outside: rows of the tables, calls of handlers at the clients,
// actions with their answers, events. Only values, so that the judges share no code with what they judge.

#include "libs/base/time.hpp"
#include "tests/simulation/pairs_items.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace pairs_sim {

using baton::duration;
using baton::utc_time;
using nlohmann::json;
using namespace std::chrono_literals;

inline constexpr duration client_ttl = 6s; // a client that is silent for so long may count as gone

// A task as it was drawn.
struct drawn_task {
    int number = 0; // from 0
    std::set<item> features;
    std::string project, service;
    std::string name;
    json definition; // as it was registered
    int parent = -1; // of `after`
    bool has(item which) const { return features.contains(which); }
};

// A call of a handler.
struct handler_call {
    std::int64_t execution = 0;
    int attempt = 1;
    std::int64_t task = 0;
    std::string instance;
    utc_time began;
    std::optional<utc_time> asked_to_stop{};
    std::optional<utc_time> ended{}; // empty: it runs, or its process has died
    std::optional<utc_time> left{};  // its client began to tell nodes that it leaves
    std::optional<utc_time> died{};  // its process
    bool succeeded = false;
};

// The moment at which a client took an attempt, which may run later.
struct acceptance {
    std::int64_t execution = 0;
    int attempt = 1;
    utc_time at;
};

// The moment from which the cluster may count a client as gone although its process lives.
struct silence {
    std::string instance;
    utc_time from, until;
};

struct performed_action {
    item what;
    int task = -1; // drawn_task::number; -1: none
    utc_time sent, answered;
    int status = 0;
    std::string note; // for people
    json answer;
};

struct happened_event {
    item what;
    utc_time began, ended; // by when its direct effect is over
    std::string note;
};

struct execution_row {
    std::int64_t id = 0, task = 0;
    int version = 0;
    utc_time scheduled_at;
    bool is_firing = false; // run_key 0
    std::string cause, state, reason;
    int attempt = 1, max_attempts = 1, deaths = 0;
    std::optional<std::int64_t> parent, rerun_of;
    int shard = 0, shards = 1;
    std::optional<utc_time> due_at; // of open executions
    utc_time created_at;
    std::optional<utc_time> ended_at;
    std::string key;      // of the concurrency policy
    bool deleted = false; // by the retention
};

struct task_version_row {
    std::int64_t task = 0;
    int version = 0;
    std::string action;
    utc_time valid_from, created_at;
    json definition;
};

struct skipped_range_row {
    std::int64_t task = 0;
    utc_time first, last;
    std::int64_t firings = 0;
};

struct pause_row {
    std::string project, service; // empty: of the whole project
    bool skips = false;
    utc_time since;
    std::optional<utc_time> ended_at;
};

// The limits of a service or project from a moment on.
struct scope_change {
    std::string project, service;
    int slots = 0; // 0: none
    utc_time asked;
    bool sure = false; // it was answered; else it may hold or not
};

struct term_row {
    utc_time began, acting;
    std::optional<utc_time> ended;
    std::string why;
};

struct dead_letter_row {
    std::int64_t execution = 0, task = 0;
    std::string resolution;
    std::optional<std::int64_t> rerun;
};

struct facts {
    std::uint64_t seed = 0;
    std::string dialect;
    std::vector<drawn_task> tasks;
    std::map<std::int64_t, int> number_of; // the drawn task with this id
    std::vector<handler_call> calls;
    std::vector<acceptance> acceptances;
    std::vector<silence> silences;
    std::vector<performed_action> actions;
    std::vector<happened_event> events;
    std::vector<execution_row> rows;
    std::vector<task_version_row> versions;
    std::vector<skipped_range_row> ranges;
    std::vector<pause_row> pauses;
    std::vector<scope_change> scopes;
    std::vector<term_row> terms;
    std::vector<dead_letter_row> letters;
    std::map<std::string, int> log_lines; // warnings and errors, by their constant text
    std::int64_t probe = 0;               // the task that nothing concerns
    utc_time begin, judged_until, end;    // nothing is done to the cluster after `judged_until`
    bool cut_short = false;               // there were so many terms that the run was not played to its end
    double processor_seconds = 0;
};

} // namespace pairs_sim
