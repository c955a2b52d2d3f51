#pragma once

#include "libs/base/asio.hpp"
#include "libs/base/time.hpp"

#include <atomic>
#include <functional>
#include <string>

namespace baton {

// Calls `on_first` on the loop at the first SIGTERM or SIGINT; the second ends the process at once with status 130.
awaitable<void> stop_signals(std::function<void()> on_first);

// The last resort (a term of mastership that did not drain): unless `disarm` comes first, ends the process with status
// 70 when `after` has passed. A thread of its own, so that a stuck loop cannot delay it. Any thread may call either.
class deadman {
public:
    deadman();
    ~deadman();
    deadman(deadman const&) = delete;
    deadman& operator=(deadman const&) = delete;

    void arm(duration after, std::string why);
    void disarm();

private:
    struct state;
    std::unique_ptr<state> state_;
};

void block_thread(duration span); // for libraries whose callers wait; never on a loop

std::string host_name();
int process_id();

// Resident memory of this process in bytes, from /proc.
std::uint64_t resident_bytes();

} // namespace baton
