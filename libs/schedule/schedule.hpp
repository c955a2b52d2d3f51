#pragma once
// The schedule of a task as a value, and the pure question it answers: when is the task due?

#include "libs/base/time.hpp"
#include "libs/schedule/cron.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace baton::schedule {

enum class kind : std::uint8_t {
    cron,        // at the times that an expression names in a time zone
    fixed_rate,  // at anchor + k * period, k = 0, 1, 2, ..., however long the runs take
    fixed_delay, // one period after the end of the previous run
    once,        // at one instant
    api,         // only when somebody asks
};

struct definition {
    kind what = kind::api;
    std::string cron{};       // kind::cron: the expression, see cron.hpp
    std::string zone = "UTC"; // kind::cron: an IANA name
    duration period{};        // fixed_rate and fixed_delay
    // once: the instant. fixed_rate: the anchor; the caller puts the time of creation here if the user named none
    // (without one the Unix epoch is the anchor). Others: nothing fires before it.
    std::optional<utc_time> start_at{};
    std::optional<utc_time> end_at{}; // nothing fires at or after it
};

constexpr duration shortest_rate = 100ms;
constexpr duration shortest_delay = 1ms;
constexpr duration longest_period = std::chrono::days{36'525};

// A definition that was checked and parsed once. A small value without allocations: the planner keeps one for every
// task. All functions are pure and may be called from any thread.
class compiled {
public:
    // The first firing strictly after `after`; nothing if there is none, and always nothing for fixed_delay and api.
    std::optional<utc_time> next(utc_time after) const;

    // The first firing of a task that comes into force at `created`: for fixed_delay that moment or start_at, whichever
    // is later; for the others next(created).
    std::optional<utc_time> first(utc_time created) const;

    // fixed_delay: one period after `finished`, the end of the previous run. Nothing for the other kinds.
    std::optional<utc_time> next_after_completion(utc_time finished) const;

    // The firings in (after, until], in order, at most `limit` of them.
    std::vector<utc_time> between(utc_time after, utc_time until, std::size_t limit) const;

    kind what() const { return what_; }

private:
    friend compiled compile(definition const& from);

    compiled(kind what, schedule::cron const& expression, time_zone zone)
        : expression_(expression), zone_(zone), what_(what)
    {}

    std::optional<utc_time> before_end(utc_time at) const;
    std::optional<utc_time> next_at_rate(utc_time after) const;

    schedule::cron expression_;
    time_zone zone_;
    duration period_{};
    utc_time start_ = utc_time::min();
    utc_time end_ = utc_time::max();
    kind what_;
};

static_assert(sizeof(compiled) <= 80);

// Throws invalid_input with the field that is wrong: "schedule.cron", "schedule.zone", "schedule.every_ms",
// "schedule.at" (once without an instant), "schedule.end_at" (not after start_at). What the kind does not use is not
// looked at.
compiled compile(definition const& from);

// The schedule in plain English: "every 5 minutes", "at 02:30 on Monday in Europe/Berlin". Throws like compile().
std::string describe(definition const& from);

// The part of a description that an expression alone gives: "at 02:30 on Monday".
std::string describe_cron(cron const& expression);

} // namespace baton::schedule
