#pragma once
// Clocks and times. All durations and times have microsecond resolution.

#include "libs/base/asio.hpp"

#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace baton {

// CLOCK_BOOTTIME: continues during suspend and is never set. For spans: leases, timeouts, ages. It has no now(),
// because the time is read from a time_source.
struct boot_clock {
    using rep = std::int64_t;
    using period = std::micro;
    using duration = std::chrono::microseconds;
    using time_point = std::chrono::time_point<boot_clock, duration>;
    static constexpr bool is_steady = true;
};

using duration = std::chrono::microseconds;
using instant = boot_clock::time_point;
using utc_time = std::chrono::sys_time<std::chrono::microseconds>; // a calendar time, for schedules and rows

using namespace std::chrono_literals;

// Microseconds since the Unix epoch: the form in the tables and on the wire.
constexpr std::int64_t to_micros(utc_time at)
{
    return at.time_since_epoch().count();
}
constexpr utc_time from_micros(std::int64_t micros)
{
    return utc_time{duration{micros}};
}

// RFC 3339 in UTC with microseconds, "2026-03-29T01:30:00.000000Z": the form in REST, logs and user interfaces.
std::string to_rfc3339(utc_time at);

// Accepts a fraction of up to six digits and an offset ("Z" or "+02:00"). Throws std::invalid_argument.
utc_time from_rfc3339(std::string const& text);

// The only access to clocks and timers (seam 1). Real: system_time. Simulated: sim::virtual_time.
// now() may be called from any thread, the rest on the loop only.
class time_source {
public:
    virtual ~time_source() = default;

    virtual instant now() const = 0;
    virtual utc_time utc() const = 0; // the host's wall clock, which may be wrong and may step

    // Ends with operation_aborted when cancelled.
    virtual awaitable<void> sleep_until(instant at) = 0;

    awaitable<void> sleep_for(duration span) { return sleep_until(now() + span); }

    // Sleeps until `at`, or until another coroutine cancels `early`, whose expiry this sets. Ends with
    // operation_aborted when cancelled. For wakers.
    virtual awaitable<void> wait_until(instant at, asio::steady_timer& early);
};

class system_time final : public time_source {
public:
    instant now() const override;
    utc_time utc() const override;
    awaitable<void> sleep_until(instant at) override;
    awaitable<void> wait_until(instant at, asio::steady_timer& early) override;
};

// The kernel's random id of this boot, 32 hex digits. An `instant` is comparable only within one boot. Throws
// std::runtime_error if it cannot be read.
std::string boot_id();

} // namespace baton
