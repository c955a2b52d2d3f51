#pragma once
// What all kinds of lock have in common. Needs the standard library alone.

#include <chrono>
#include <string>
#include <system_error>

namespace baton::lock {

// What a kind of lock honestly gives (docs/locks.md says under which faults):
enum class guarantee {
    fenced,     // held by one at a time within its limits, and each grant has a token higher than all before it
    lease,      // held by one at a time within its limits; no token, or one that may repeat when the store fails
    efficiency, // mostly held by one: the store may forget a grant and give the lock twice
};

enum class release_result {
    released, // the store has freed what was held until then
    was_lost, // it had been lost before: whatever was done since may have been done by another as well
    unknown,  // the store did not answer; the lock becomes free when its time is over, if it was not already
};

// Thrown as std::system_error.
enum class lock_errc {
    unavailable = 1, // the store did not answer, or refused; nothing is held
    cancelled,       // the wait was ended by its caller
    lost,            // a reentrant holder asked again for what it has lost and not unlocked yet
    misuse,          // unlock() by whom it is not held, a wait on the library's own thread, a store that was closed
};
std::error_category const& lock_category() noexcept;
std::error_code make_error_code(lock_errc why) noexcept;

struct lock_options {
    // How long the lock survives without a sign of life of its holder: 100 ms to an hour. The holder counts from before
    // it asked, and ends a tenth earlier (at most 250 ms), so that it knows of its loss before anybody else is granted
    // the lock.
    std::chrono::milliseconds ttl{10'000};
    // Renews a third of `ttl` after the last time, for as long as the lock is held. Without it `ttl` is final.
    bool watchdog = true;
    // The watchdog ends after so long, lest a forgotten lock live for ever; 0: never.
    std::chrono::milliseconds max_hold{0};
    // A further lock() of the same object counts, and as many unlock() are needed. An object is one holder then: do not
    // share it between threads that are to exclude each other. Without it a further lock() waits, as on a std::mutex.
    bool reentrant = false;
    // For people who look at the store or read the log; "host:pid" by default. At most 190 bytes.
    std::string label = {};
};

} // namespace baton::lock

template <>
struct std::is_error_code_enum<baton::lock::lock_errc> : std::true_type {};
