#pragma once

#include "libs/base/file_lock.hpp"
#include "libs/sim/host.hpp"

#include <cstdint>
#include <memory>

namespace baton::sim {

// A file of one machine that its processes (a simulated host each) lock, as flock does: the lock is the file's and not
// the name's, a stopped process keeps it, and a killed one loses it at once.
class lock_file {
public:
    lock_file(trace& log, std::uint64_t seed);
    ~lock_file();

    // What a process locks it by.
    std::unique_ptr<exclusive_lock> open_by(host& who);

    // Whoever has it locked keeps that; who comes next makes another file, perhaps with the number of one that is gone.
    void remove();
    void refuse(bool refused); // from now on nobody can open it

private:
    struct state;
    class handle;

    std::shared_ptr<state> state_;
};

} // namespace baton::sim
