#pragma once

#include "libs/lease/lease.hpp"
#include "libs/storage/database.hpp"

#include <functional>
#include <memory>
#include <string>

namespace baton::simulation {

// Flaws planted into an elector on SQLite. The simulation must detect each of them.
enum class file_flaw {
    none,
    wall_clock,            // measures the lease by the wall clock
    ignores_boot,          // does not compare the boot id
    deadline_from_reply,   // trusts a lease from the answer instead of from the request
    no_deadline,           // stays master until a renewal is refused
    seizes_by_version,     // compares neither renew_seq nor the expiry when seizing
    trusts_any_lock,       // seizes as soon as it holds the file's lock, even if the master has not armed it
    ignores_the_file,      // takes another file under the same name for the same lock
    lets_go_after_failure, // releases the file's lock if an arming or a seizure had no answer
    acts_without_fence,
};

// The resources of one process.
struct own_files {
    storage::database& lease;
    time_source& time;
    std::string boot;
};

// A lease with the flaws that concern it. `trusted` is called for each answer that grants the lease.
std::unique_ptr<lease::lease_store> make_flawed_file_lease(own_files const& mine, file_flaw planted,
                                                           std::function<void()> trusted);

// A guard with the flaws that concern it.
std::unique_ptr<lease::guard_store> make_flawed_file_guard(own_files const& mine, lease::lease_store& lease,
                                                           std::unique_ptr<exclusive_lock> lock, file_flaw planted);

} // namespace baton::simulation
