#pragma once

#include "libs/lease/lease.hpp"
#include "libs/storage/database.hpp"

#include <functional>
#include <memory>
#include <string>

namespace baton::simulation {

// Electors that are wrong on purpose: a simulation that does not find them proves nothing.
enum class flaw {
    none,
    deadline_from_reply,    // trusts a lease from the answer on, not from the asking
    no_deadline,            // master until told otherwise
    trusts_database_clock,  // seizes what the database calls expired without having watched the row
    seizes_by_version_only, // the statement compares neither renew_seq nor the expiry
    succeeds_at_once,       // seizes as soon as it is granted the guard's lock
    ignores_guard,          // believes in its lease while the guard binds it
    guard_from_reply,       // trusts a ping from the answer on
};

// A lease over `own` with those flaws that lie in its statements; `trusted` is called at each answer that grants it.
std::unique_ptr<lease::lease_store> make_flawed_lease(storage::database& own, std::string self, flaw what,
                                                      std::function<void()> trusted);

// The same of a guard.
std::unique_ptr<lease::guard_store> make_flawed_guard(storage::database& own, storage::database& other, flaw what,
                                                      std::function<void()> pinged);

} // namespace baton::simulation
