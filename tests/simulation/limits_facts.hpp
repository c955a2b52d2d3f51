#pragma once
// The tasks with policies of a played day, and the record of what happened in it. Only values, so that limits_oracle
// shares no code with what it judges.

#include "libs/base/time.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace limits_sim {

using baton::duration;
using baton::utc_time;

struct rate {
    int limit = 0; // 0: none
    duration per{};
    int burst = 1;
    duration interval() const { return per / limit; }
};

enum class when_full { wait, skip, replace };

// The limits of a service, or without its name of a project.
struct scope {
    std::string project, service;
    int concurrency = 0; // 0: none
    rate tokens{};
};

struct task {
    int id = 0;
    std::string project = "default";
    std::string service;
    duration every{}; // zero: only by hand
    duration offset{};
    int limit = 0; // of executions under way; 0: none
    limits_sim::when_full when_full = limits_sim::when_full::wait;
    int queue = 0; // 0: no bound
    bool keyed = false;
    rate tokens{};
    int priority = 0;
    duration start_within{}; // zero: none
    int attempts = 1;
    int longest = 1; // of its runs, in seconds
    int storm = 0;   // runs by hand at once, at most
};

struct attempt {
    utc_time began;
    std::optional<utc_time> ended{};
    std::string outcome{}; // as the client reported it
};

struct execution {
    std::int64_t id = 0;
    int task = 0;
    std::string key;
    bool by_hand = false;
    bool forced = false;
    utc_time due;
    utc_time created; // its row
    std::string state;
    std::string reason;
    std::vector<attempt> attempts{};
    std::optional<utc_time> cancel_asked{}; // at the client
};

// From the fence that a master has raised to its death.
struct term {
    utc_time began;
    utc_time ended;
    // The executions that may be at a client, by the marks and the watermark that the ledger has when the next master
    // begins.
    std::set<std::int64_t> out{};
};

// A person gives a scope another limit of executions under way.
struct edit {
    utc_time at;
    std::size_t scope; // its place in the record
    int concurrency;
};

struct record {
    std::vector<scope> scopes; // as they are at the begin
    std::vector<edit> edits{}; // in order
    std::vector<task> tasks;
    std::vector<term> terms{};
    std::vector<execution> executions{}; // in order of (due, id)
    utc_time begin{};
    utc_time end{};
};

} // namespace limits_sim
