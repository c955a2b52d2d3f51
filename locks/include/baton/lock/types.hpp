#pragma once
// Types that all locks share: guarantees, results, errors and the options of a lock. Needs the standard library only.

#include <chrono>
#include <string>
#include <system_error>

namespace baton::lock {

// The exclusion that a lock promises. docs/locks.md lists the faults under which it holds.
enum class guarantee {
    fenced,     // one holder at a time, and each grant has a higher token than all grants before it
    lease,      // one holder at a time; no token, or a token that may repeat after the store fails
    efficiency, // usually one holder: the store may forget a grant and give the lock to a second holder
};

enum class release_result {
    released, // the store has freed the lock, which was held until then
    was_lost, // the lock was lost before; another holder may have had it since
    unknown,  // the store did not answer; the lock becomes free at the end of its ttl at the latest
};

// Codes of the std::system_error that locks throw.
enum class lock_errc {
    unavailable = 1, // the store did not answer or refused; the caller holds nothing
    cancelled,       // the caller or the end of the store ended the wait
    lost,            // a reentrant holder locked again after it had lost the lock and before it unlocked
    misuse, // unlock() without a hold, a wait on the library's own thread, a closed store, or mismatched permit counts
};
std::error_category const& lock_category() noexcept;
std::error_code make_error_code(lock_errc code) noexcept;

struct lock_options {
    // How long the store keeps the lock without a renewal: 100 ms to an hour. The holder counts from before its request
    // and stops a tenth earlier (at most 250 ms), so that it knows of its loss before the store grants the lock again.
    std::chrono::milliseconds ttl{10'000};
    // Renews the lock every third of `ttl` while it is held. Without the watchdog the lock ends after `ttl`.
    bool watchdog = true;
    // The watchdog stops after this time, so that a forgotten lock becomes free; 0: never.
    std::chrono::milliseconds max_hold{0};
    // Counts further lock() calls of the same object, which needs as many unlock() calls. Threads that share such an
    // object do not exclude each other. Without this a further lock() waits, as on a std::mutex.
    bool reentrant = false;
    // Shown in the store and in the log; "host:pid" by default. At most 190 bytes.
    std::string label = {};
};

} // namespace baton::lock

template <>
struct std::is_error_code_enum<baton::lock::lock_errc> : std::true_type {};
