#pragma once

#include "libs/lock/lease_store.hpp"
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
};

// A lease over `own` with those flaws that lie in its statements; `trusted` is called at each answer that grants it.
std::unique_ptr<lock::lease_store> make_flawed_lease(storage::database& own, std::string self, flaw what,
                                                     std::function<void()> trusted);

} // namespace baton::simulation
