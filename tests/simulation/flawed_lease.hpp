#pragma once

#include "libs/lease/lease.hpp"
#include "libs/storage/database.hpp"

#include <functional>
#include <memory>
#include <string>

namespace baton::simulation {

// Flaws planted into an elector. The simulation must detect each of them; otherwise it would prove nothing.
enum class flaw {
    none,
    deadline_from_reply,    // trusts a lease from the answer instead of from the request
    no_deadline,            // stays master until a renewal is refused
    trusts_database_clock,  // seizes an expired row without having watched it for the ttl
    seizes_by_version_only, // compares neither renew_seq nor the expiry when seizing
    succeeds_at_once,       // seizes as soon as it gets the guard's lock
    ignores_guard,          // trusts its lease although its guard is lost
    guard_from_reply,       // trusts a guard ping from the answer instead of from the request
};

// A lease over `own` with the flaws that concern it. `trusted` is called for each answer that grants the lease.
std::unique_ptr<lease::lease_store> make_flawed_lease(storage::database& own, std::string self, flaw planted,
                                                      std::function<void()> trusted);

// A guard with the flaws that concern it.
std::unique_ptr<lease::guard_store> make_flawed_guard(storage::database& own, storage::database& other, flaw planted,
                                                      std::function<void()> pinged);

} // namespace baton::simulation
