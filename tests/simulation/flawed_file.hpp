#pragma once

#include "libs/lease/lease.hpp"
#include "libs/storage/database.hpp"

#include <functional>
#include <memory>
#include <string>

namespace baton::simulation {

// Electors on SQLite that are wrong on purpose.
enum class file_flaw {
    none,
    wall_clock,            // the lease is measured by the wall clock
    ignores_boot,          // the boot id is not compared
    deadline_from_reply,   // trusts a lease from the answer on, not from the asking
    no_deadline,           // master until told otherwise
    seizes_by_version,     // the seizure compares neither renew_seq nor the expiry
    trusts_any_lock,       // succeeds whoever leads, armed or not, once the file's lock is granted
    ignores_the_file,      // another file under the same name is taken for the same lock
    lets_go_after_failure, // the file's lock, when an arming or a seizure has had no answer
    acts_without_fence,
};

// What a process has of its machine.
struct own_files {
    storage::database& lease;
    time_source& time;
    std::string boot;
};

// A lease with those flaws that lie in its use; `trusted` is called at each answer that grants it.
std::unique_ptr<lease::lease_store> make_flawed_file_lease(own_files const& mine, file_flaw what,
                                                           std::function<void()> trusted);

// The same of a guard.
std::unique_ptr<lease::guard_store> make_flawed_file_guard(own_files const& mine, lease::lease_store& lease,
                                                           std::unique_ptr<exclusive_lock> lock, file_flaw what);

} // namespace baton::simulation
