#pragma once
// A simulated flock().

#include "libs/base/file_lock.hpp"
#include "libs/sim/host.hpp"

#include <cstdint>
#include <memory>

namespace baton::sim {

// A file that the processes of one machine (each of them a simulated host) lock as by flock(): the lock belongs to the
// file and not to its name, a stopped process keeps it, and a killed process loses it at once.
class lock_file {
public:
    lock_file(trace& log, std::uint64_t seed);
    ~lock_file();

    // The lock as one process sees it.
    std::unique_ptr<exclusive_lock> open_by(host& process);

    // Removes the name. The current holder keeps its lock; the next process creates a new file, possibly with the inode
    // number of the old one.
    void remove();
    void refuse(bool refused); // while true, opening the file fails

private:
    struct state;
    class handle;

    std::shared_ptr<state> state_;
};

} // namespace baton::sim
