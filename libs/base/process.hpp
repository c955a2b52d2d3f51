#pragma once
// The process and its host: signals, the last-resort exit, identity, memory.

#include "libs/base/asio.hpp"
#include "libs/base/time.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace baton {

// Calls `on_first` on the loop after the first SIGTERM or SIGINT. The second one ends the process at once with status
// 130.
awaitable<void> stop_signals(std::function<void()> on_first);

// A dead man's switch, the last resort if a term of mastership does not drain: once armed, it ends the process with
// status 70 (EX_SOFTWARE) after a time, unless disarm() is called before. It has its own thread, so that a blocked loop
// cannot delay it. Any thread.
class deadman {
public:
    deadman();
    ~deadman();
    deadman(deadman const&) = delete;
    deadman& operator=(deadman const&) = delete;

    void arm(duration after, std::string why); // replaces an earlier deadline; `why` is logged at the end
    void disarm();

private:
    struct state;
    std::unique_ptr<state> state_;
};

void block_thread(duration span); // never on a loop's thread

std::string host_name();
int process_id();

// The limit of open files as setrlimit() takes it.
struct file_bounds {
    std::uint64_t soft = 0;
    std::uint64_t hard = 0;
};

// The most that a process asks for. Each connection costs memory, and a hard limit may be a billion.
inline constexpr std::size_t most_files = 131'072;

// Raises the limit of open files to the hard limit, at most to `most_files`, logs it, and returns it. It never lowers
// the limit. Call it before there is a second thread.
std::size_t raise_file_limit();
std::size_t file_limit();        // the present one, at most 2^20
file_bounds first_file_bounds(); // before it was raised; for programs that this process starts

// Resident memory of this process in bytes, from /proc/self/statm; 0 if it cannot be read.
std::uint64_t resident_bytes();

} // namespace baton
